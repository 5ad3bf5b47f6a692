// Shrink: from a list of choices that leads to a failure to a short one of small numbers that still does. Knows nothing
// of what the choices mean: whatever draws from dice can be made simpler this way.

/** Tries at most so many lists; answers with the simplest that still fails. */
export async function shrink(
  choices: readonly number[],
  stillFails: (choices: readonly number[]) => Promise<boolean>,
  triesMax: number,
): Promise<readonly number[]> {
  let best = choices;
  let tries = 0;
  const attempt = async (candidate: readonly number[]): Promise<boolean> => {
    if (tries >= triesMax || isSame(candidate, best)) return false;
    tries++;
    if (!(await stillFails(candidate))) return false;
    best = candidate;
    return true;
  };
  for (let isBetter = true; isBetter; ) {
    const before = best;
    await removeRuns(() => best, attempt);
    await clearRuns(() => best, attempt);
    isBetter = !isSame(before, best);
  }
  return best;
}

type Attempt = (candidate: readonly number[]) => Promise<boolean>;

/** Without a stretch of the choices, long ones first. What follows then means something else, which is fine. */
async function removeRuns(best: () => readonly number[], attempt: Attempt): Promise<void> {
  for (let length = best().length; length >= 1; length = Math.floor(length / 2)) {
    for (let at = 0; at < best().length; )
      if (!(await attempt([...best().slice(0, at), ...best().slice(at + length)]))) at += length;
  }
}

/** With a stretch of zeros, the simplest choice there is. */
async function clearRuns(best: () => readonly number[], attempt: Attempt): Promise<void> {
  for (let length = best().length; length >= 1; length = Math.floor(length / 2)) {
    for (let at = 0; at < best().length; at += length)
      await attempt(best().map((choice, index) => (index >= at && index < at + length ? 0 : choice)));
  }
}

const isSame = (one: readonly number[], other: readonly number[]): boolean =>
  one.length === other.length && one.every((choice, index) => choice === other[index]);
