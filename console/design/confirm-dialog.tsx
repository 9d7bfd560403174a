/**
 * Confirmation of an irreversible action: its effect, and one button that sends it. If the gateway refuses, the dialog
 * shows the reason, and offers to send again only if that can help.
 */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isFinalRefusal } from '../api.ts';
import { Button, Buttons } from './button.tsx';
import { Dialog, type DialogProps } from './dialog.tsx';
import { Notice } from './states.tsx';

interface ConfirmDialogProps extends DialogProps {
  /** Label of the send button. */
  readonly label: string;
  readonly tone: 'good' | 'bad';
  readonly send: () => Promise<void>;
  /** Returns the message for an error of `send`. */
  readonly refusal: (cause: unknown) => string;
  readonly children: ComponentChildren;
}

/** Submits a multi-line text with Ctrl+Enter (on a Mac also Cmd+Enter), because Enter begins a new line. */
function sendByKey(event: KeyboardEvent & { readonly currentTarget: HTMLFormElement }): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.currentTarget.requestSubmit();
}

export function ConfirmDialog({ title, label, tone, close, send, refusal, children }: ConfirmDialogProps) {
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | undefined>();
  const [isOver, setOver] = useState(false);
  const closing = useRef<HTMLButtonElement>(null);
  // The send button, which had the focus, is gone.
  useLayoutEffect(() => {
    if (isOver) closing.current?.focus();
  }, [isOver]);
  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy || isOver) return;
    setBusy(true);
    try {
      await send();
      close();
    } catch (cause) {
      setFault(refusal(cause));
      setOver(isFinalRefusal(cause));
      setBusy(false);
    }
  };
  return (
    <Dialog title={title} close={close}>
      <form onSubmit={submit} onKeyDown={sendByKey}>
        {children}
        <div role="alert">{fault !== undefined && <Notice kind="bad">{fault}</Notice>}</div>
        <Buttons>
          {!isOver && (
            <Button type="submit" tone={tone} disabled={busy}>
              {label}
            </Button>
          )}
          <Button buttonRef={closing} onClick={close}>
            {isOver ? 'Close' : 'Cancel'}
          </Button>
        </Buttons>
      </form>
    </Dialog>
  );
}
