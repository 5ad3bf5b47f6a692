// Chain: a list whose members know their neighbours, so that putting in, taking out at either end and taking out of
// the middle all cost the same, whatever the length. The queues of the executor are made of it.
//
// Always true: a member is in at most one chain, and `member.chain` says in which.

export interface Linked<T extends Linked<T>> {
  chain: Chain<T> | null;
  previous: T | null;
  next: T | null;
}

export class Chain<T extends Linked<T>> {
  first: T | null = null;
  last: T | null = null;

  get isEmpty(): boolean {
    return this.first === null;
  }

  /** `member` must be in no chain. */
  pushBack(member: T): void {
    member.chain = this;
    member.previous = this.last;
    member.next = null;
    if (this.last === null) this.first = member;
    else this.last.next = member;
    this.last = member;
  }

  /** `member` must be in no chain. */
  pushFront(member: T): void {
    member.chain = this;
    member.previous = null;
    member.next = this.first;
    if (this.first === null) this.last = member;
    else this.first.previous = member;
    this.first = member;
  }

  shift(): T | null {
    const member = this.first;
    if (member !== null) this.remove(member);
    return member;
  }

  /** `member` must be in this chain. */
  remove(member: T): void {
    if (member.previous === null) this.first = member.next;
    else member.previous.next = member.next;
    if (member.next === null) this.last = member.previous;
    else member.next.previous = member.previous;
    member.chain = null;
    member.previous = null;
    member.next = null;
  }
}
