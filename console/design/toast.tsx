/** Short messages about the last action. They disappear after a while; errors stay until they are closed. */
import { useEffect, useState } from 'preact/hooks';
import { IconButton } from './button.tsx';
import { Notice } from './states.tsx';

interface Message {
  readonly nth: number;
  readonly kind: 'good' | 'bad';
  readonly text: string;
}

const shownMs = 6_000;
const event = 'console-toast';
let count = 0;

export const toast = (kind: Message['kind'], text: string): void => {
  document.dispatchEvent(new CustomEvent<Message>(event, { detail: { nth: ++count, kind, text } }));
};

/** Region for messages; the frame contains one. */
export function Toasts() {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const close = (nth: number) => setMessages((now) => now.filter((message) => message.nth !== nth));
  useEffect(() => {
    const timers = new Set<ReturnType<typeof setTimeout>>();
    const add = (added: Event) => {
      const { detail } = added as CustomEvent<Message>;
      setMessages((now) => [...now.slice(-2), detail]);
      if (detail.kind === 'good') timers.add(setTimeout(() => close(detail.nth), shownMs));
    };
    document.addEventListener(event, add);
    return () => {
      document.removeEventListener(event, add);
      for (const timer of timers) clearTimeout(timer);
    };
  }, []);
  return (
    <div class="toasts" role="status" aria-label="Messages">
      {messages.map(({ nth, kind, text }) => (
        <div key={nth} class="toast">
          <Notice kind={kind}>{text}</Notice>
          <IconButton label="Close the message" icon="close" onClick={() => close(nth)} />
        </div>
      ))}
    </div>
  );
}
