/** Parts of a page, one of which is shown at a time. Arrow keys move between the tabs (WAI-ARIA tabs pattern). */
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';

interface Tab<Id extends string> {
  readonly id: Id;
  readonly name: ComponentChildren;
}

interface TabsProps<Id extends string> {
  /** Accessible name of the tab list. */
  readonly label: string;
  readonly tabs: readonly Tab<Id>[];
  readonly open: Id;
  readonly choose: (id: Id) => void;
  /** The open part. */
  readonly children: ComponentChildren;
}

export function Tabs<Id extends string>({ label, tabs, open, choose, children }: TabsProps<Id>) {
  const base = useId();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ id }) => id === open);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    const next = to === undefined ? undefined : tabs[(to + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    choose(next.id);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[tabs.indexOf(next)]?.focus();
  };
  return (
    <>
      <div ref={list} class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {tabs.map(({ id, name }) => (
          <button
            key={id}
            type="button"
            role="tab"
            id={`${base}-${id}`}
            aria-selected={id === open}
            aria-controls={`${base}-panel`}
            tabIndex={id === open ? 0 : -1}
            onClick={() => choose(id)}
          >
            {name}
          </button>
        ))}
      </div>
      <div id={`${base}-panel`} role="tabpanel" aria-labelledby={`${base}-${open}`}>
        {children}
      </div>
    </>
  );
}
