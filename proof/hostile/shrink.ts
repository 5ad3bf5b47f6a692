// Shrink: the choices of the dice that led to a violation, made fewer and smaller as long as it stays one. A shorter list of
// choices is a simpler input.

/** Of a list that was tried: whether it is still a violation. */
export type Try = (choices: readonly number[]) => Promise<boolean>;

const triesMax = 400;

/** The first choice, which says what kind of input it is, stays. */
export async function shrink(choices: readonly number[], isViolation: Try): Promise<readonly number[]> {
  let best = choices;
  let tries = 0;
  const attempt = async (candidate: readonly number[]): Promise<boolean> => {
    if (tries++ >= triesMax || !(await isViolation(candidate))) return false;
    best = candidate;
    return true;
  };
  for (let length = Math.ceil(best.length / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let at = Math.max(1, best.length - length); at >= 1; at -= length) {
      await attempt([...best.slice(0, at), ...best.slice(at + length)]);
    }
  }
  for (let at = 1; at < best.length; at++) {
    for (const smaller of [0, Math.floor((best[at] ?? 0) / 2), (best[at] ?? 0) - 1]) {
      if (smaller >= 0 && smaller < (best[at] ?? 0) && (await attempt(best.with(at, smaller)))) break;
    }
  }
  return best;
}
