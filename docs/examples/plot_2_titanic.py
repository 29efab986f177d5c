"""
Who survived the Titanic?
=========================

Class, age, sex and survival of 2,201 people. Which of them depend directly on which?
"""

import matplotlib.pyplot as plt

import ibmap
from ibmap.plotting import plot_network

people = ibmap.datasets.load_titanic()
learner = ibmap.IBMAP().fit(people)
plot_network(learner.result_, title="On board the Titanic")

# %%
# Survival depends on class, age and sex, each of them directly. Age and sex are not joined: given class and survival
# they tell nothing more of each other. How did the chances differ?

model = learner.fit_parameters()
figure, ax = plt.subplots(figsize=(7, 3.5), layout="constrained")
classes = ["first", "second", "third", "crew"]
for shift, sex in ((-0.2, "female"), (0.2, "male")):
    chance = [model.marginals("survived", given={"class": each, "sex": sex})["yes"] for each in classes]
    ax.bar([k + shift for k in range(4)], chance, 0.38, label=sex)
ax.set_xticks(range(4), classes)
ax.set_ylabel("probability of survival")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
