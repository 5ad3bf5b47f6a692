// Scopes: the verbs that a key may be given. Looking is not doing, and doing one thing is not doing another.

export const scopes = [
  'definition:read',
  'definition:write',
  'run:read',
  'run:start',
  'run:restore',
  'run:control',
  'run:retry',
  'run:delete',
  'prompt:read',
  'prompt:reply',
  'event:publish',
  'trigger:read',
  'trigger:write',
  'trigger:fire',
  'credit:read',
  'credit:write',
  'artifact:read',
  'artifact:write',
  'task:work',
  'callback:read',
  'callback:write',
  'secret:read',
  'secret:write',
  'operate',
  'key:admin',
] as const;

export type Scope = (typeof scopes)[number];

/** All that there are, and all that there will be. */
export const everyScope = '*';
