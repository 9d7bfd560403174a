/**
 * Reads the gateway's approval events while the tab is visible, and reconnects when the stream ends [console.events].
 * Uses `fetch`, because an `EventSource` cannot send the key in a header.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import { sseDecoder } from '#core/models/dialects/sse.ts';
import { type Api, ApiError } from '../api.ts';

const firstPauseMs = 1_000;
const longestPauseMs = 15_000;

/**
 * @param changed called for each event, and whenever the stream begins, because earlier events may have been missed.
 * @returns whether the stream is open; while it is not, the page polls.
 */
export function useApprovalEvents(api: Api, wanted: boolean, changed: () => void): boolean {
  const [open, setOpen] = useState(false);
  const tell = useRef(changed);
  tell.current = changed;
  useEffect(() => {
    if (!wanted) return;
    let reading: AbortController | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last: string | undefined;
    let failures = 0;
    const read = async (end: AbortController) => {
      try {
        const decoder = sseDecoder();
        for await (const bytes of api.events('approvals/events', last, end.signal)) {
          for (const event of decoder.push(bytes)) {
            last = event.id ?? last;
            failures = 0;
            setOpen(true);
            tell.current();
          }
        }
      } catch (fault) {
        failures++;
        if (fault instanceof ApiError && fault.status === 405) return; // this host does not offer streams
      }
      if (end.signal.aborted) return;
      if (failures > 0) setOpen(false);
      timer = setTimeout(follow, failures === 0 ? 0 : Math.min(firstPauseMs * 2 ** failures, longestPauseMs));
    };
    // A browser opens few connections to one host, so a background tab closes its stream.
    const follow = () => {
      clearTimeout(timer);
      if (document.hidden) {
        reading?.abort();
        reading = timer = undefined;
        setOpen(false);
        return;
      }
      if (reading && !reading.signal.aborted && timer === undefined) return;
      timer = undefined;
      reading = new AbortController();
      read(reading);
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      reading?.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', follow);
      setOpen(false);
    };
  }, [api, wanted]);
  return open;
}
