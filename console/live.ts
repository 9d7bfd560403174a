/**
 * Polls while a page is open: immediately when the tab becomes visible, more slowly while it is hidden or the gateway
 * is down.
 */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { faultText } from './api.ts';

export interface LiveAnswer<T> {
  /** The last response, kept while the gateway does not respond. */
  readonly value: T | undefined;
  /** Why the last request failed. */
  readonly fault: string | undefined;
  /** Asks now. */
  readonly refresh: () => void;
}

const again = 'gateway-ask-again';

/** Repeats every failed request now, because the cause of its failure has been fixed. */
export const askAgain = (): boolean => document.dispatchEvent(new Event(again));

const visibleMs = 2_000;
const hiddenMs = 15_000;
const slowestMs = 20_000;

/**
 * @param ask must not change between renders unless the request does.
 * @param everyMs the pause between a response and the next request; 0 sends only one request.
 */
export function useLive<T>(ask: (signal: AbortSignal) => Promise<T>, everyMs = visibleMs): LiveAnswer<T> {
  const [state, setState] = useState<Pick<LiveAnswer<T>, 'value' | 'fault'>>({ value: undefined, fault: undefined });
  const now = useRef(() => {});
  const every = useRef(everyMs);
  every.current = everyMs;
  useEffect(() => {
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let failures = 0;
    let asking = false;
    let waiting = false;
    const question = async () => {
      // A request made while another is pending may return newer data than that one.
      if (asking) {
        waiting = true;
        return;
      }
      asking = true;
      waiting = false;
      clearTimeout(timer);
      try {
        const value = await ask(ended.signal);
        failures = 0;
        if (!ended.signal.aborted) setState({ value, fault: undefined });
      } catch (fault) {
        failures++;
        if (!ended.signal.aborted) setState(({ value }) => ({ value, fault: faultText(fault) }));
      }
      asking = false;
      if (waiting && failures === 0 && !ended.signal.aborted) return void question();
      if (ended.signal.aborted || (every.current === 0 && failures === 0)) return;
      const shortest = document.hidden ? hiddenMs : visibleMs;
      // After a failure, the request is repeated soon, and then at increasing intervals.
      const pause =
        failures === 0
          ? Math.max(every.current, shortest)
          : Math.min(shortest * 2 ** Math.min(failures - 1, 4), slowestMs);
      timer = setTimeout(question, pause);
    };
    const shown = () => {
      if (!document.hidden) question();
    };
    setState({ value: undefined, fault: undefined });
    now.current = () => void question();
    question();
    if (every.current > 0) document.addEventListener('visibilitychange', shown);
    const ifFailed = () => void (failures > 0 && question());
    document.addEventListener(again, ifFailed);
    return () => {
      ended.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', shown);
      document.removeEventListener(again, ifFailed);
    };
  }, [ask]);
  const refresh = useCallback(() => now.current(), []);
  return { ...state, refresh };
}
