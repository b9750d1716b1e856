"""Boxes: processes that run code which nobody trusts, and hand plain data back.

Outside of a box
    =========================  ==========================================================================================
    ``levels``                 the levels of isolation; the self-test that picks the strongest
    ``box``                    one box: requests go in, answers or failures come out
    ``sandbox``                makes boxes with a fork server
    ``visible_folders``        which folders a box may see
    ``limits``                 how much of everything the code may use
    ``programs``               what runs in boxes: which class, with which arguments, what it must not see
    =========================  ==========================================================================================

Inside a box
    =========================  ==========================================================================================
    ``fork_server``            a warm Python that forks boxes
    ``box_server``             takes files, and has the program answer requests
    ``probe``                  attempts what must fail
    ``confinement``            gives up rights, for good
    ``seccomp``                the filter of system calls
    =========================  ==========================================================================================

Between the two
    =========================  ==========================================================================================
    ``messages``               values as bytes, read as if an enemy had written them
    ``channel``                messages through a socket, in time
    =========================  ==========================================================================================
"""
