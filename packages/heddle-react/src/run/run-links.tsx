// RunLinks: where things lie that a run names. Whoever has pages for them says where; without, they are named only.

import { createContext, type ReactElement, type ReactNode, use } from 'react';

export interface RunLinks {
  readonly run?: (runId: string) => string;
  readonly prompt?: (correlationId: string) => string;
}

const LinksContext = createContext<RunLinks>({});

export interface RunLinksProviderProps {
  readonly links: RunLinks;
  readonly children: ReactNode;
}

export function RunLinksProvider({ links, children }: RunLinksProviderProps): ReactElement {
  return <LinksContext value={links}>{children}</LinksContext>;
}

interface PlaceLinkProps {
  readonly to: keyof RunLinks;
  readonly id: string;
  readonly children: ReactNode;
}

export function PlaceLink({ to, id, children }: PlaceLinkProps): ReactElement {
  const href = use(LinksContext)[to]?.(id);
  return href === undefined ? (
    <span>{children}</span>
  ) : (
    <a className="hd-link" href={href}>
      {children}
    </a>
  );
}
