/** Runs `npm start` with a flag that ends it, in this process. */
import { main } from '../../bin/local/main.ts';

/** Returns the output. */
export async function runMain(state: string, flag: string): Promise<string> {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const mask = process.umask();
  try {
    await main(['--state', state, flag], {});
    return write.mock.calls.join('');
  } finally {
    process.umask(mask);
    write.mockRestore();
  }
}
