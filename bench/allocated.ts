/**
 * Module loaded into the gateway before it starts (`--import`). On the first message it starts V8's sampling heap
 * profiler in the main thread; on the second it replies with the bytes allocated since then, including those that were
 * collected.
 */
import { Session } from 'node:inspector/promises';
import { isMainThread } from 'node:worker_threads';

interface Node {
  readonly selfSize: number;
  readonly children: readonly Node[];
}

const bytesOf = ({ selfSize, children }: Node): number =>
  children.reduce((sum, child) => sum + bytesOf(child), selfSize);

if (isMainThread && process.send) {
  const session = new Session();
  let started = false;
  process.on('message', async () => {
    if (started) {
      const { profile } = await session.post('HeapProfiler.stopSampling');
      return void process.send?.(bytesOf(profile.head));
    }
    started = true;
    session.connect();
    await session.post('HeapProfiler.startSampling', {
      samplingInterval: 2_048,
      includeObjectsCollectedByMajorGC: true,
      includeObjectsCollectedByMinorGC: true,
    });
    process.send?.(0);
  });
  process.channel?.unref();
}
