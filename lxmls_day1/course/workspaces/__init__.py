"""Operations on a student's workspace: make, update, solve, undo, pack and open."""
