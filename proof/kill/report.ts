// Report: what a proof of many rounds has to say in the end: what went wrong, how to get there again, and its counts.

const violationsToldMost = 20;

export interface Findings {
  readonly violations: readonly string[];
  /** How to get at them, by round. */
  readonly hints: readonly string[];
  counts(): Readonly<Record<string, number>>;
}

/** The folder is where the files were left, if they were. */
export function report(proof: string, seed: number, findings: Findings, folder: string | null): void {
  const { violations, hints } = findings;
  for (const violation of violations.slice(0, violationsToldMost)) process.stdout.write(`VIOLATION ${violation}\n`);
  for (const hint of hints) process.stdout.write(`${hint}\n`);
  if (folder !== null) process.stderr.write(`${proof}: the files are in ${folder}\n`);
  process.stdout.write(
    `${JSON.stringify({ proof, counts: findings.counts(), violations: violations.length, seed })}\n`,
  );
}
