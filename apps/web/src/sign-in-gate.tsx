// SignInGate: lets whoever has access in, and asks everybody else for a key. Whoever loses it while a page is open is asked
// above the page, so that nothing on it is lost.

import { Button, codeOf, Dialog, ErrorNotice, Skeleton, useAnswer, useChange, useConnection } from 'heddle-react';
import { type ReactElement, type ReactNode, type SyntheticEvent, useEffect, useId, useState } from 'react';

/** A key that was revoked is noticed at once by what streams, and so often by a page that reads nothing. */
const lookMs = 15_000;

export function SignInGate({ children }: { readonly children: ReactNode }): ReactElement {
  const { data, error, refetch } = useAnswer('whoAmI', {}, { everyMs: lookMs });
  const isOut = codeOf(error) === 'KEY_INVALID';
  useRefusals();
  if (data !== undefined)
    return (
      <>
        {children}
        {isOut ? <SignedOutDialog /> : null}
      </>
    );
  if (error === null) return <Skeleton lines={4} />;
  return (
    <main className="app-alone">
      {isOut ? (
        <div className="app-sign-in">
          <h1>Sign in to Heddle</h1>
          <SignInForm />
        </div>
      ) : (
        <ErrorNotice error={error} onRetry={() => void refetch()} />
      )}
    </main>
  );
}

/** When anything is refused because no key is known, it is asked again who is signed in. */
function useRefusals(): void {
  const { queries } = useConnection();
  useEffect(
    () =>
      queries.getQueryCache().subscribe(({ type, query }) => {
        const isNews = type === 'updated' && query.state.status === 'error' && query.queryKey[0] !== 'whoAmI';
        if (isNews && codeOf(query.state.error) === 'KEY_INVALID')
          void queries.invalidateQueries({ queryKey: ['whoAmI'] }, { cancelRefetch: false });
      }),
    [queries],
  );
}

function SignedOutDialog(): ReactElement {
  return (
    <Dialog title="You are signed out" onClose={() => undefined}>
      <p>Your key was revoked, or your session has ended. Sign in again: what you have typed is kept.</p>
      <SignInForm />
    </Dialog>
  );
}

function SignInForm(): ReactElement {
  const { queries } = useConnection();
  const [key, setKey] = useState('');
  const id = useId();
  const signIn = useChange('signIn', { onDone: () => void queries.invalidateQueries() });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    signIn.run({ key: key.trim() });
  };
  return (
    <form onSubmit={submit} className="app-sign-in">
      <label htmlFor={id}>API key</label>
      <input
        id={id}
        className="hd-input"
        type="password"
        autoComplete="current-password"
        value={key}
        onChange={({ target }) => setKey(target.value)}
      />
      {signIn.error === null ? null : <ErrorNotice error={signIn.error} />}
      <Button kind="primary" type="submit" disabled={key.trim() === '' || signIn.isRunning}>
        Sign in
      </Button>
      <p className="hd-field-hint">
        Whoever operates this server creates keys with <code>heddle keys create</code>.
      </p>
    </form>
  );
}
