"""The execution of submissions in boxes, and the judgement of their answers outside the boxes."""
