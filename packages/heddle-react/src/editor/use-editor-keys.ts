// Keys of the editor: every command without the mouse. Keys that people type with are left to the field that has the focus.

import { useEffect, useRef } from 'react';
import type { Commands } from './use-commands.ts';

export interface KeyedActions extends Commands {
  readonly undo: () => void;
  readonly redo: () => void;
  readonly connect: () => void;
  readonly search: () => void;
  readonly publish: () => void;
  readonly inspect: () => void;
}

/** With Ctrl, or Cmd on a Mac. */
const withControl: Readonly<Record<string, keyof KeyedActions>> = {
  z: 'undo',
  y: 'redo',
  c: 'copy',
  x: 'cut',
  v: 'paste',
  d: 'duplicate',
  a: 'selectAll',
  g: 'group',
};

const withControlAndShift: Readonly<Record<string, keyof KeyedActions>> = { z: 'redo', g: 'ungroup', p: 'publish' };

const alone: Readonly<Record<string, keyof KeyedActions>> = {
  delete: 'remove',
  backspace: 'remove',
  a: 'search',
  c: 'connect',
  e: 'inspect',
  f: 'fit',
  l: 'arrange',
  g: 'fold',
};

/** Only while the focus is in the editor and in no field of it; null: there is nothing to draw on. */
export function useEditorKeys(root: { readonly current: HTMLElement | null }, actions: KeyedActions | null): void {
  const newest = useRef(actions);
  newest.current = actions;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const [target] = event.composedPath();
      if (!(target instanceof HTMLElement) || isTypedInto(target)) return;
      if (target.closest('dialog, [role="menu"]') !== null) return;
      // Nothing in particular has the focus: it is the page, or what the editor stands in.
      if (root.current?.contains(target) !== true && !target.contains(root.current)) return;
      const name = commandFor(event);
      if (name === undefined || newest.current === null) return;
      event.preventDefault();
      run(newest.current, name);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [root]);
}

const isTypedInto = (target: HTMLElement): boolean =>
  target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName);

function commandFor({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): keyof KeyedActions | undefined {
  const name = key.toLowerCase();
  const table = ctrlKey || metaKey ? (shiftKey ? withControlAndShift : withControl) : alone;
  return altKey || !Object.hasOwn(table, name) ? undefined : table[name];
}

/** Of those that take no argument. */
function run(actions: KeyedActions, name: keyof KeyedActions): void {
  const command = actions[name] as () => void; // the tables have no other
  command();
}
