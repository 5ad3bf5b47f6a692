// AccountMenu: who is signed in, what the page has asked the server, the theme, and the way out.

import { Button, ErrorNotice, useAnswer, useChange, useConnection } from 'heddle-react';
import { lazy, type ReactElement, Suspense, useEffect, useId, useRef, useState } from 'react';
import { setTheme, themes, useTheme } from './theme.ts';

const CallsDialog = lazy(async () => ({ default: (await import('./docs/calls-dialog.tsx')).CallsDialog }));

export function AccountMenu(): ReactElement {
  const { data: me } = useAnswer('whoAmI', {});
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = ({ target }: Event): void => {
      if (target instanceof Node && menu.current?.contains(target) !== true) menu.current?.removeAttribute('open');
    };
    document.addEventListener('pointerdown', close);
    return () => document.removeEventListener('pointerdown', close);
  }, []);
  return (
    <details
      ref={menu}
      className="app-account"
      onKeyDown={({ key }) => {
        if (key !== 'Escape') return;
        menu.current?.removeAttribute('open');
        menu.current?.querySelector('summary')?.focus();
      }}
    >
      <summary className="hd-button" data-size="small">
        {me?.tenant ?? 'Account'}
      </summary>
      <div className="app-account-panel">
        {me === undefined ? null : (
          <dl className="app-facts">
            <dt>Tenant</dt>
            <dd>{me.tenant}</dd>
            <dt>Key</dt>
            <dd>{me.keyId ?? 'none: this server is open on this machine'}</dd>
            <dt>May</dt>
            <dd>{me.scopes.includes('*') ? 'everything' : me.scopes.join(', ')}</dd>
          </dl>
        )}
        <CallsButton />
        <ThemeChoice />
        {me === undefined || me.via !== 'session' ? null : <SignOutButton />}
      </div>
    </details>
  );
}

function CallsButton(): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>API calls of this page</Button>
      {isOpen ? (
        <Suspense fallback={null}>
          <CallsDialog onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}

export function ThemeChoice(): ReactElement {
  const theme = useTheme();
  const id = useId();
  return (
    <div className="hd-field">
      <label className="hd-field-label" htmlFor={id}>
        Theme
      </label>
      <select
        id={id}
        className="hd-input"
        value={theme}
        onChange={({ target }) => setTheme(themes.find((each) => each === target.value) ?? 'system')}
      >
        {themes.map((each) => (
          <option key={each} value={each}>
            {each === 'system' ? 'As the system' : each === 'light' ? 'Light' : 'Dark'}
          </option>
        ))}
      </select>
    </div>
  );
}

function SignOutButton(): ReactElement {
  const { queries } = useConnection();
  const signOut = useChange('signOut', { onDone: () => void queries.resetQueries() });
  return (
    <>
      <Button disabled={signOut.isRunning} onClick={() => signOut.run({})}>
        Sign out
      </Button>
      {signOut.error === null ? null : <ErrorNotice error={signOut.error} />}
    </>
  );
}
