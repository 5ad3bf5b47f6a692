// Frame: navigation, search, who is signed in, and the state of the connection, around every page.

import { EmptyState, isUnreachable, useAnswer, useFeedState, useLive } from 'heddle-react';
import { type ReactElement, type ReactNode, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { AccountMenu } from './account-menu.tsx';
import { CommandPalette, usePaletteKey } from './command-palette.tsx';
import { Page } from './page.tsx';
import { type Place, placesFor, refusalOf } from './places.ts';
import { useHeading } from './use-heading.ts';

export function Frame({ children }: { readonly children: ReactNode }): ReactElement {
  const [location] = useLocation();
  const { data: me } = useAnswer('whoAmI', {});
  const refusal = me === undefined ? null : refusalOf(me, location);
  const main = useRef<HTMLElement>(null);
  const [isSearching, setSearching] = useState(false);
  useHeading(main, location);
  usePaletteKey(() => setSearching(true));
  return (
    <>
      <a className="app-skip" href="#content">
        Skip to the content
      </a>
      <Header
        key={location}
        places={me === undefined ? [] : placesFor(me)}
        location={location}
        onSearch={() => setSearching(true)}
      />
      <main id="content" ref={main} className="app-main" tabIndex={-1}>
        <Connection />
        {refusal === null ? children : <Refused refusal={refusal} />}
      </main>
      {isSearching ? <CommandPalette onClose={() => setSearching(false)} /> : null}
    </>
  );
}

function Refused({ refusal }: { readonly refusal: string }): ReactElement {
  return (
    <Page title="Not for this token">
      <EmptyState title={refusal}>What your token is for is in the menu.</EmptyState>
    </Page>
  );
}

interface HeaderProps {
  readonly places: readonly Place[];
  readonly location: string;
  readonly onSearch: () => void;
}

/** On narrow screens the places are behind a button; going somewhere closes them. */
function Header({ places, location, onSearch }: HeaderProps): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const isHere = (path: string): boolean => location === path || (path !== '/' && location.startsWith(`${path}/`));
  return (
    <header className="app-header">
      <Link href="/" className="app-brand">
        <img src="/icon.svg" alt="" width="20" height="20" />
        Heddle
      </Link>
      <button
        type="button"
        className="hd-button app-menu-button"
        data-size="small"
        aria-expanded={isOpen}
        aria-controls="places"
        onClick={() => setOpen(!isOpen)}
      >
        Menu
      </button>
      <nav id="places" aria-label="Main" className="app-nav" data-open={isOpen}>
        {places.map(({ path, label }) => (
          <Link key={path} href={path} aria-current={isHere(path) ? 'page' : undefined}>
            {label}
            {path === '/inbox' ? <PromptCount /> : null}
          </Link>
        ))}
      </nav>
      <div className="app-header-end">
        <button type="button" className="hd-button app-search" data-size="small" onClick={onSearch}>
          Search <kbd>Ctrl K</kbd>
        </button>
        <AccountMenu />
      </div>
    </header>
  );
}

const countedMax = 99;

function PromptCount(): ReactElement | null {
  const { data } = useAnswer('listPrompts', { limit: countedMax + 1 });
  useLive(['listPrompts']);
  const count = data?.items.length ?? 0;
  if (count === 0) return null;
  return (
    <span className="app-count">
      {count > countedMax ? `${countedMax}+` : count}
      <span className="hd-visually-hidden"> open</span>
    </span>
  );
}

/** Said when the server cannot be reached, and taken back when it can: nothing on the page is lost meanwhile. */
function Connection(): ReactElement {
  const state = useFeedState();
  const { error } = useAnswer('health', {}, { everyMs: 10_000 });
  const isLost = state === 'lost' || isUnreachable(error);
  return (
    <div role="status" className="app-connection">
      {isLost ? (
        <p>
          The server cannot be reached. What is shown may be out of date; what you have typed is kept. Trying again…
        </p>
      ) : null}
    </div>
  );
}
