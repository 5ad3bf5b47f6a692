// ErrorBoundary: a page that breaks takes nothing else with it.

import { ErrorNotice } from 'heddle-react';
import { Component, type ReactNode } from 'react';

interface ErrorBoundaryProps {
  /** Another one is another chance. */
  readonly address: string;
  readonly children: ReactNode;
}

interface ErrorBoundaryState {
  readonly error: unknown;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: null };

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { error };
  }

  override componentDidUpdate({ address }: ErrorBoundaryProps): void {
    if (address !== this.props.address && this.state.error !== null) this.setState({ error: null });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="app-page">
        <h1>This page does not work</h1>
        <ErrorNotice error={error} onRetry={() => this.setState({ error: null })} />
      </div>
    );
  }
}
