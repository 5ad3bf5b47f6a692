// Frame: navigation, the theme, and the state of the connection, around every page.

import { useAnswer } from 'heddle-react';
import type { ReactElement, ReactNode } from 'react';
import { Link, useLocation } from 'wouter';

const places = [
  { path: '/', label: 'Overview' },
  { path: '/runs', label: 'Runs' },
  { path: '/workflows', label: 'Workflows' },
  { path: '/inbox', label: 'Inbox' },
  { path: '/work', label: 'Work' },
  { path: '/triggers', label: 'Triggers' },
  { path: '/settings', label: 'Settings' },
  { path: '/docs', label: 'API' },
] as const;

export function Frame({ children }: { readonly children: ReactNode }): ReactElement {
  const [location] = useLocation();
  const isHere = (path: string): boolean => (path === '/' ? location === '/' : location.startsWith(path));
  return (
    <>
      <a className="app-skip" href="#content">
        Skip to the content
      </a>
      <header className="app-header">
        <Link href="/" className="app-brand">
          Heddle
        </Link>
        <nav aria-label="Main" className="app-nav">
          {places.map(({ path, label }) => (
            <Link key={path} href={path} aria-current={isHere(path) ? 'page' : undefined}>
              {label}
            </Link>
          ))}
        </nav>
        <Connection />
      </header>
      <main id="content" className="app-main" tabIndex={-1}>
        {children}
      </main>
    </>
  );
}

/** Said when the server cannot be reached, and taken back when it can: nothing on the page is lost meanwhile. */
function Connection(): ReactElement {
  const { error } = useAnswer('health', {}, { everyMs: 5_000 });
  return (
    <span role="status" className="app-connection">
      {error === null ? '' : 'The server cannot be reached. Trying again…'}
    </span>
  );
}
