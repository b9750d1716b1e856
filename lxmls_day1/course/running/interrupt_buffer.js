(before) => ({
    deadline: Infinity,
    heard: true,
    look: Infinity,
    looking: false,
    get 0() {
        const now = Date.now()
        if (this.heard && now >= this.deadline) { this.heard = false; return 2 }
        if (now >= this.look) { this.look = now + 1000; this.looking = true; return 2 }
        return before ? before[0] : 0
    },
    set 0(value) { if (before) before[0] = value },
})
