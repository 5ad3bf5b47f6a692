// WorkflowParts: what several of the workflows are drawn with.

export const retry = { maxAttempts: 4, backoff: 'linear', initialDelayMs: 10, jitter: 0.3 } as const;

/** A join that waits for all branches and puts what each has under this name into a list. */
export const collect = (siblingGroup: string, name: string) =>
  ({
    siblingGroup,
    strategy: 'all',
    merge: { source: `_branch.output.${name}`, target: `state.${name}s`, strategy: 'append' },
  }) as const;
