"""Documents for the tests."""

from search.index import Index

BOOKS = {
    "a": ("The care of cherry trees", "Cherries are pruned in summer, after the harvest. Pruning in winter invites disease."),
    "b": ("Pruning apple trees", "Apples are pruned in winter. A tree that is pruned every year bears more fruit than a tree that isn't."),
    "c": ("Growing berries", "Berries grow on young wood. Cut old canes to the ground in the winter."),
    "d": ("Tools", "A saw, shears and a ladder. Don't forget the whetstone. Café tables are no ladders."),
    "e": ("Diseases of trees", "Silver leaf disease enters by cuts in the winter. The disease of the tree of cherries."),
}


def library():
    index = Index()
    for id, (title, text) in BOOKS.items():
        index.add(id, title=title, text=text)
    return index
