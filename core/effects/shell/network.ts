/** Commands that reach other machines or containers: what they fetch, send, and write here. */
import type { Invocation, Reader } from './invocation.ts';
import { readOptions } from './options.ts';
import { type Arg, argOf } from './words.ts';

function curl(call: Invocation): void {
  const { options, operands } = readOptions(call.args, {
    values: 'AbCcDdeEFHhKmoPQrTtuUwxXyYz',
    long: 'data data-raw data-binary data-urlencode data-ascii json form header output request user user-agent url upload-file config cookie cookie-jar max-time connect-timeout retry proxy cacert cert key write-out dump-header referer range netrc-file trace trace-ascii stderr form-string resolve interface'.split(
      ' ',
    ),
  });
  let sends = false;
  for (const { name, value } of options) {
    if (!value) continue;
    if (/^(?:-d|--data.*|--json|-F|--form)$/.test(name)) {
      sends = true;
      const file = /(?:^|=)[@<]([^;]+)/.exec(value.text)?.[1];
      if (file !== undefined && name !== '--data-raw' && file !== '-') call.path('read', { ...value, text: file });
    } else if (/^(?:-T|--upload-file|-E|--cert|--key|--netrc-file)$/.test(name)) {
      sends = true;
      if (value.text !== '-') call.path('read', value);
    } else if (/^(?:-b|--cookie)$/.test(name) && !value.text.includes('=')) call.path('read', value);
    else if (/^(?:-H|--header)$/.test(name) && value.text.startsWith('@'))
      call.path('read', { ...value, text: value.text.slice(1) });
    else if (/^(?:-o|--output|-c|--cookie-jar|-D|--dump-header|--trace|--trace-ascii|--stderr)$/.test(name)) {
      if (value.text !== '-') writes(call, value);
    } else if (/^(?:-K|--config)$/.test(name)) call.unclear('curl reads its options from a file');
    else if (/^(?:-X|--request)$/.test(name)) sends ||= !/^(?:GET|HEAD|OPTIONS)$/i.test(value.text);
  }
  const urls = [...operands, ...options.filter(({ name }) => name === '--url').flatMap(({ value }) => value ?? [])];
  if (options.some(({ name }) => /^(?:-O|-J|--remote-name.*)$/.test(name))) call.path('write', argOf('.'), true);
  for (const url of urls) address(call, sends ? 'write' : 'read', url);
  if (urls.length === 0) call.whole('execute');
}

function wget(call: Invocation): void {
  const { options, operands, value, has } = readOptions(call.args, {
    values: 'OPoaiBtTwQUeADRIXl',
    long: 'output-document directory-prefix output-file append-output input-file post-data post-file body-data body-file header user-agent execute use-askpass config method'.split(
      ' ',
    ),
  });
  if (has('-e', '--execute', '--use-askpass', '--config', '-i', '--input-file'))
    call.unclear('wget is given options that are not read');
  for (const { name, value: file } of options) {
    if (!file || file.text === '-') continue;
    if (/^(?:--post-file|--body-file)$/.test(name)) call.path('read', file);
    else if (/^(?:-o|-a|--output-file|--append-output)$/.test(name)) writes(call, file);
  }
  const document = value('-O', '--output-document');
  if (!document) call.path('write', value('-P', '--directory-prefix') ?? argOf('.'), true);
  else if (document.text !== '-') writes(call, document);
  const sends = has('--post-data', '--post-file', '--body-data', '--body-file', '--method');
  for (const url of operands) address(call, sends ? 'write' : 'read', url);
}

const writes = (call: Invocation, file: Arg): void => {
  if (!/^\/dev\/(?:null|stdout|stderr)$/.test(file.text)) call.path('write', file);
};

function address(call: Invocation, capability: 'read' | 'write', url: Arg): void {
  if (!url.known) call.isOpen(url);
  call.effect(capability, url.text);
}

/** A folder of this machine that a container is given is as good as written. */
function container(call: Invocation): void {
  call.whole('execute');
  const { options } = readOptions(call.args, {
    values: 'vepwuhl',
    long: ['volume', 'mount', 'env', 'env-file', 'device', 'volumes-from'],
  });
  for (const { name, value } of options) {
    if (!value) continue;
    const folder =
      name === '-v' || name === '--volume' || name === '--device'
        ? value.text.split(':')[0]
        : name === '--mount'
          ? /(?:^|,)(?:source|src)=([^,]*)/.exec(value.text)?.[1]
          : name === '--env-file'
            ? value.text
            : undefined;
    if (folder && /^[./~]/.test(folder))
      call.path(name === '--env-file' ? 'read' : 'write', { ...value, text: folder });
  }
}

function remoteCopy(call: Invocation): void {
  const { operands, options } = readOptions(call.args, { values: 'cFiJloPSXbBDRs' });
  if (options.some(({ name }) => /^-[SFoD]$/.test(name)))
    call.unclear(`${call.binary} may run the program it is given`);
  call.whole('execute');
  operands.forEach((arg, i) => {
    if (!/^[^/]*:/.test(arg.text)) call.path(i === operands.length - 1 ? 'write' : 'read', arg);
  });
}

export const networkReaders: ReadonlyMap<string, Reader> = new Map([
  ['curl', curl],
  ['wget', wget],
  ['docker', container],
  ['podman', container],
  ['nerdctl', container],
  ['scp', remoteCopy],
  ['sftp', remoteCopy],
]);
