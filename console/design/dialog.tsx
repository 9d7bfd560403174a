/**
 * The browser's native modal dialog: it traps the focus, Escape closes it, and the focus then returns to the element
 * that had it before, or to the part of the page that contained that element.
 */
import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { focusPath, refocus } from './focus.ts';

export interface DialogProps {
  readonly title: string;
  /** Called when the dialog is closed; if it is still rendered after that, it opens again. */
  readonly close: () => void;
  /** `drawer` is at the left edge; `palette` is at the top, with a hidden title. */
  readonly kind?: 'drawer' | 'palette';
  readonly children: ComponentChildren;
}

export function Dialog({ title, close, kind, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Two dialogs may be open, one above the other.
  const titleId = useId();
  // Opened during the render, so that a key pressed right afterwards goes to the dialog.
  useLayoutEffect(() => {
    const before = focusPath();
    dialog.current?.showModal();
    return () => {
      // Runs after the dialog is removed: before that, elements beneath it cannot take the focus.
      queueMicrotask(() => refocus(before));
    };
  }, []);
  return (
    <dialog ref={dialog} class={kind} aria-labelledby={titleId} onClose={close}>
      <h2 id={titleId} class={kind && 'unseen'}>
        {title}
      </h2>
      {children}
    </dialog>
  );
}
