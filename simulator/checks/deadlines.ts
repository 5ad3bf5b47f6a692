// Deadlines: the times at which a run will wake by itself, and the earliest of them. A heap of times; those that were
// taken back stay in it until they come to the top.

export class Deadlines {
  /** How many are set. */
  size = 0;
  readonly #counts = new Map<number, number>();
  readonly #heap: number[] = [];

  add(at: number): void {
    this.size++;
    const count = this.#counts.get(at) ?? 0;
    this.#counts.set(at, count + 1);
    if (count === 0) this.#push(at);
  }

  remove(at: number): void {
    this.size--;
    const count = this.#counts.get(at) ?? 0;
    if (count > 1) this.#counts.set(at, count - 1);
    else this.#counts.delete(at);
  }

  get earliest(): number | null {
    for (let top = this.#heap[0]; top !== undefined; top = this.#heap[0]) {
      if (this.#counts.has(top)) return top;
      this.#pop();
    }
    return null;
  }

  #push(at: number): void {
    const heap = this.#heap;
    let place = heap.length;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const there = heap[above] as number;
      if (there <= at) break;
      heap[place] = there;
      place = above;
    }
    heap[place] = at;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop() as number;
    if (heap.length === 0) return;
    let place = 0;
    for (let below = 1; below < heap.length; below = 2 * place + 1) {
      if ((heap[below + 1] ?? Infinity) < (heap[below] as number)) below++;
      if ((heap[below] as number) >= last) break;
      heap[place] = heap[below] as number;
      place = below;
    }
    heap[place] = last;
  }
}
