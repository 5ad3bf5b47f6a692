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

export function RunLink({ runId, children }: { readonly runId: string; readonly children: ReactNode }): ReactElement {
  const href = use(LinksContext).run?.(runId);
  return href === undefined ? (
    <span>{children}</span>
  ) : (
    <a className="hd-link" href={href}>
      {children}
    </a>
  );
}

/** To where a prompt is answered; nothing where there is no such place. */
export function AnswerLink({ correlationId }: { readonly correlationId: string }): ReactElement | null {
  const href = use(LinksContext).prompt?.(correlationId);
  return href === undefined ? null : (
    <a className="hd-link" href={href}>
      Answer
    </a>
  );
}
