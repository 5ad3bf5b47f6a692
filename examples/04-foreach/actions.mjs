// An action is a function. It gets its input, a signal that says when to stop, the attempt's number, and a key that stays
// the same when the step is tried again.
export async function countWords({ input }) {
  return { words: input.line.split(/\s+/).filter(Boolean).length };
}
