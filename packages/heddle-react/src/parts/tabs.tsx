// Tabs: one of several panels, with the keys that people expect (arrows, Home, End).

import { type KeyboardEvent, type ReactElement, type ReactNode, useId } from 'react';

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: string;
}

export interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly selected: Name;
  readonly onSelect: (name: Name) => void;
  /** The panel of the selected tab. */
  readonly children: ReactNode;
}

export function Tabs<Name extends string>({
  label,
  tabs,
  selected,
  onSelect,
  children,
}: TabsProps<Name>): ReactElement {
  const id = useId();
  const move = ({ key, currentTarget }: KeyboardEvent<HTMLDivElement>): void => {
    const at = tabs.findIndex(({ name }) => name === selected);
    const next = tabs.at(placeAfter(key, at, tabs.length) ?? at);
    if (next === undefined || next.name === selected) return;
    onSelect(next.name);
    currentTarget.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.name)}"]`)?.focus();
  };
  return (
    <>
      <div role="tablist" aria-label={label} className="hd-tabs" onKeyDown={move}>
        {tabs.map(({ name, label: text }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            data-tab={name}
            className="hd-tab"
            aria-selected={name === selected}
            aria-controls={`${id}-panel`}
            tabIndex={name === selected ? 0 : -1}
            onClick={() => onSelect(name)}
          >
            {text}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`} className="hd-tab-panel">
        {children}
      </div>
    </>
  );
}

function placeAfter(key: string, at: number, count: number): number | null {
  if (key === 'ArrowRight') return (at + 1) % count;
  if (key === 'ArrowLeft') return (at + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : null;
}
