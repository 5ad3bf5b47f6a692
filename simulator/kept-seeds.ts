// Kept seeds: worlds that once went wrong. They are played first, always. A seed means something as long as the
// workloads draw what they drew; what was wrong is therefore also a scenario in the tests.

export const keptSeeds: readonly { readonly seed: number; readonly found: string }[] = [
  { seed: 20002593, found: 'a branch that ended within one command did not tell what would never run in it (EJ4)' },
];
