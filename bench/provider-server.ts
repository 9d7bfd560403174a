/**
 * An OpenAI-style provider for measurements: responds immediately, or streams at the pace set by `FIRST_MS`, `GAP_MS`
 * and `CHUNKS`.
 */
import { createServer } from 'node:http';

const [firstMs, gapMs, chunks] = ['FIRST_MS', 'GAP_MS', 'CHUNKS'].map((name) => Number(process.env[name] ?? 0));
const usage = { prompt_tokens: 31, completion_tokens: 17, total_tokens: 48 };
const head = { id: 'c1', created: 1, model: 'bench' };
const reply = JSON.stringify({
  ...head,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Three points, briefly.' }, finish_reason: 'stop' }],
  usage,
});
const event = (more: object) => `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...more })}\n\n`;
const delta = (content: string) => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const last = event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) + event({ choices: [], usage });
const pause = (ms = 0) => (ms > 0 ? new Promise((resolve) => setTimeout(resolve, ms)) : undefined);

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text) => {
    body += text;
  });
  request.once('end', async () => {
    if (!(JSON.parse(body) as { stream?: boolean }).stream) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(reply);
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    await pause(firstMs);
    for (let n = 0; n < (chunks || 20) && !response.destroyed; n++) {
      response.write(delta(`word${n} `));
      await pause(gapMs);
    }
    response.end(`${last}data: [DONE]\n\n`);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as { port: number };
  console.log(JSON.stringify({ event: 'ready', port }));
});
