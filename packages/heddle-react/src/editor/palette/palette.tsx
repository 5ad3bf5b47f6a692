// Palette: what can be added to the drawing, searchable. A click or Enter adds it after what is selected; it can be dragged
// to any place.

import { type KeyboardEvent, type ReactElement, type Ref, useMemo, useState } from 'react';
import { itemType } from '../canvas/editor-canvas.tsx';
import { NodeIcon } from '../canvas/node-icon.tsx';
import type { PaletteItem } from '../model/adapter.ts';

export interface PaletteProps {
  readonly items: readonly PaletteItem[];
  readonly onAdd: (item: PaletteItem) => void;
  readonly search: Ref<HTMLInputElement>;
}

export function Palette({ items, onAdd, search }: PaletteProps): ReactElement {
  const [words, setWords] = useState('');
  const found = useMemo(() => findItems(items, words), [items, words]);
  const categories = [...new Set(found.map(({ category }) => category))];
  const addFirst = ({ key }: KeyboardEvent): void => {
    const [first] = found;
    if (key === 'Enter' && first !== undefined) onAdd(first);
  };
  return (
    <section className="hd-palette" aria-label="Palette">
      <input
        ref={search}
        type="search"
        className="hd-input"
        aria-label="Search the palette"
        placeholder="Add a node…  (A)"
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={addFirst}
      />
      <div className="hd-palette-list" onKeyDown={moveFocus}>
        {found.length === 0 ? <p className="hd-field-hint">Nothing is called that.</p> : null}
        {categories.map((category) => (
          <div key={category} role="group" aria-label={category}>
            <h2 className="hd-palette-category">{category}</h2>
            {found
              .filter((item) => item.category === category)
              .map((item) => (
                <Item key={item.name} item={item} onAdd={onAdd} />
              ))}
          </div>
        ))}
      </div>
    </section>
  );
}

interface ItemProps {
  readonly item: PaletteItem;
  readonly onAdd: (item: PaletteItem) => void;
}

function Item({ item, onAdd }: ItemProps): ReactElement {
  const { name, title, description, icon } = item;
  return (
    <button
      type="button"
      className="hd-palette-item"
      title={description}
      draggable
      onClick={() => onAdd(item)}
      onDragStart={(event) => {
        event.dataTransfer.setData(itemType, name);
        event.dataTransfer.effectAllowed = 'copy';
      }}
    >
      <NodeIcon icon={icon} />
      <span className="hd-palette-title">{title}</span>
    </button>
  );
}

/** Arrows go from item to item. */
function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('button')];
  const at = buttons.findIndex((button) => button === event.currentTarget.ownerDocument.activeElement);
  buttons[at + step]?.focus();
  event.preventDefault();
}

/** All words are in the title, the name or the description; titles that begin with the first word come first. */
function findItems(items: readonly PaletteItem[], typed: string): readonly PaletteItem[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const [first] = words;
  if (first === undefined) return items;
  const found = items.filter(({ name, title, description, category }) => {
    const text = `${name} ${title} ${description} ${category}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const rank = ({ title }: PaletteItem): number => (title.toLowerCase().startsWith(first) ? 0 : 1);
  return found.toSorted((a, b) => rank(a) - rank(b));
}
