// SettingsPage.

import type { ReactElement } from 'react';

export function SettingsPage(): ReactElement {
  return <h1>Settings</h1>;
}
