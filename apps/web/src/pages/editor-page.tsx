// EditorPage.

import type { ReactElement } from 'react';

export function EditorPage(): ReactElement {
  return <h1>Editor</h1>;
}
