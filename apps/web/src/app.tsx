// App: the frame around all pages, and which page an address shows. Pages are loaded when they are opened.

import { connectTo, HeddleProvider, Skeleton } from 'heddle-react';
import { type ComponentType, lazy, type ReactElement, Suspense, useEffect } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { recordingFetch } from './docs/page-calls.ts';
import { ErrorBoundary } from './error-boundary.tsx';
import { Frame } from './frame.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { SignInGate } from './sign-in-gate.tsx';
import { useTheme } from './theme.ts';

const connection = connectTo({ fetch: recordingFetch });

/** A page by the name of its component. */
function page<Name extends string>(load: () => Promise<Readonly<Record<Name, ComponentType>>>, name: Name) {
  return lazy(async () => ({ default: (await load())[name] }));
}

/** Stands alone: whoever answers there has never seen the app, and has no key. */
const AnswerPage = page(() => import('./pages/answer-page.tsx'), 'AnswerPage');

/** Every other address. */
const pages = [
  ['/', page(() => import('./pages/overview-page.tsx'), 'OverviewPage')],
  ['/runs', page(() => import('./pages/runs-page.tsx'), 'RunsPage')],
  ['/runs/:runId', page(() => import('./pages/run-page.tsx'), 'RunPage')],
  ['/runs/:runId/compare/:otherId', page(() => import('./pages/compare-page.tsx'), 'ComparePage')],
  ['/workflows', page(() => import('./pages/workflows-page.tsx'), 'WorkflowsPage')],
  ['/workflows/:id', page(() => import('./pages/workflow-page.tsx'), 'WorkflowPage')],
  ['/workflows/:id/edit', page(() => import('./pages/editor-page.tsx'), 'EditorPage')],
  // One page: a form that is open stays as it is when the address changes.
  ['/inbox/:correlationId?', page(() => import('./pages/inbox-page.tsx'), 'InboxPage')],
  ['/work', page(() => import('./pages/work-page.tsx'), 'WorkPage')],
  ['/triggers', page(() => import('./pages/triggers-page.tsx'), 'TriggersPage')],
  ['/settings', page(() => import('./pages/settings-page.tsx'), 'SettingsPage')],
  ['/docs', page(() => import('./pages/docs-page.tsx'), 'DocsPage')],
] as const;

export function App(): ReactElement {
  const theme = useTheme();
  useEffect(() => {
    document.documentElement.style.colorScheme = theme === 'system' ? 'light dark' : theme;
  }, [theme]);
  return (
    <HeddleProvider connection={connection}>
      <div className="hd app" data-theme={theme}>
        <Suspense fallback={<Skeleton lines={6} />}>
          <Switch>
            <Route path="/answer/:tenant/:secret">
              <AnswerPage />
            </Route>
            <Route>
              <SignInGate>
                <Frame>
                  <Pages />
                </Frame>
              </SignInGate>
            </Route>
          </Switch>
        </Suspense>
      </div>
    </HeddleProvider>
  );
}

function Pages(): ReactElement {
  const [location] = useLocation();
  return (
    <ErrorBoundary address={location}>
      <Suspense fallback={<Skeleton lines={6} />}>
        <Switch>
          {pages.map(([path, Page]) => (
            <Route key={path} path={path}>
              <Page />
            </Route>
          ))}
          <Route>
            <NotFoundPage />
          </Route>
        </Switch>
      </Suspense>
    </ErrorBoundary>
  );
}
