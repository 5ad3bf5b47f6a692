// SignInGate: lets whoever has access in, and asks everybody else for a key.

import { Button, codeOf, ErrorNotice, Skeleton, useAnswer } from 'heddle-react';
import { type ReactElement, type ReactNode, type SyntheticEvent, useId, useState } from 'react';

export function SignInGate({ children }: { readonly children: ReactNode }): ReactElement {
  const { data, error, refetch } = useAnswer('whoAmI', {});
  if (data !== undefined) return <>{children}</>;
  if (error === null) return <Skeleton lines={4} />;
  if (codeOf(error) === 'KEY_INVALID') return <SignInForm onSignedIn={() => void refetch()} />;
  return (
    <main className="app-alone">
      <ErrorNotice error={error}>
        <Button onClick={() => void refetch()}>Try again</Button>
      </ErrorNotice>
    </main>
  );
}

function SignInForm({ onSignedIn }: { readonly onSignedIn: () => void }): ReactElement {
  const [key, setKey] = useState('');
  const [error, setError] = useState<unknown>(null);
  const id = useId();
  const signIn = (event: SyntheticEvent): void => {
    event.preventDefault();
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key: key.trim() }),
    };
    fetch('/v1/session', init).then(onSignedIn, setError);
  };
  return (
    <main className="app-alone">
      <form onSubmit={signIn} className="app-sign-in">
        <h1>Sign in to Heddle</h1>
        <label htmlFor={id}>API key</label>
        <input
          id={id}
          className="hd-input"
          type="password"
          autoComplete="current-password"
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
        {error === null ? null : <ErrorNotice error={error} />}
        <Button kind="primary" type="submit" disabled={key.trim() === ''}>
          Sign in
        </Button>
        <p className="hd-field-hint">
          Whoever operates this server creates keys with <code>heddle keys create</code>.
        </p>
      </form>
    </main>
  );
}
