/** Single keys as shortcuts. They can be switched off, and do nothing while the person is typing or a dialog is open. */
import { useLayoutEffect, useRef } from 'preact/hooks';

const place = 'gateway-console-shortcuts';

export const shortcutsOn = (): boolean => localStorage.getItem(place) !== 'off';
export const switchShortcuts = (on: boolean): void => localStorage.setItem(place, on ? 'on' : 'off');

export function useShortcuts(actions: Readonly<Record<string, () => void>>): void {
  const current = useRef(actions);
  current.current = actions;
  // Registered in the first render, so that a key pressed as soon as the page is visible counts.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]') || !shortcutsOn() || !Object.hasOwn(current.current, event.key))
        return;
      event.preventDefault();
      current.current[event.key]?.();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
