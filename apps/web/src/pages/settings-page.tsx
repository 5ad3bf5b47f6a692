// SettingsPage: keys and tokens, secrets, retention, the store; and how the app looks.

import { useMay } from 'heddle-react';
import type { ReactElement } from 'react';
import { ThemeChoice } from '../account-menu.tsx';
import { Page, Section } from '../page.tsx';
import { KeysSection, TokensSection } from '../settings/keys-section.tsx';
import { SecretsSection } from '../settings/secrets-section.tsx';
import { RetentionSection, StoreSection } from '../settings/upkeep-section.tsx';

export function SettingsPage(): ReactElement {
  const may = useMay();
  return (
    <Page title="Settings">
      {may('key:admin') ? <KeysSection /> : null}
      {may('run:read') ? <TokensSection /> : null}
      {may('secret:read') ? <SecretsSection /> : null}
      {may('operate') ? (
        <>
          <RetentionSection />
          <StoreSection />
        </>
      ) : null}
      <Section title="Appearance">
        <div className="app-narrow">
          <ThemeChoice />
        </div>
      </Section>
    </Page>
  );
}
