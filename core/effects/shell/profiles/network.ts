/** Programs that reach other machines or containers. */
import type { Family } from './profile.ts';

export const networkPrograms = {
  curl: {
    does: 'read',
    syntax: 'anywhere',
    exact: true,
    flags: `-# -0 -1 -2 -3 -4 -6 -a -B -f -g -G -i -I -j -J -k -l -L -M -n -N -O -p -q -R -s -S -v -V -Z -: --anyauth --basic --compressed --digest
      --fail --fail-early --fail-with-body --get --globoff --head --http1.0 --http1.1 --http2 --http3 --include --insecure --ipv4 --ipv6 --location
      --negotiate --netrc --netrc-optional --no-buffer --no-keepalive --no-progress-meter --ntlm --parallel --path-as-is --progress-bar --remote-header-name
      --remote-name --remote-name-all --remote-time --retry-all-errors --retry-connrefused --show-error --show-headers --silent --ssl --ssl-reqd
      --tcp-nodelay --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --verbose --create-dirs --next`,
    values: {
      data: '-d -F --data --data-ascii --data-binary --data-urlencode --form --json',
      read: '-T -E --upload-file --cert --key --cacert --capath --netrc-file',
      write: '-o -c -D --output --cookie-jar --dump-header --trace --trace-ascii --stderr --output-dir --etag-save',
      method: '-X --request',
      url: '--url',
      text: '-A -e --user-agent --referer --data-raw --form-string -w --write-out',
      header: '-H --header',
      cookie: '-b --cookie',
      word: '-r --range --interface --resolve --connect-to --dns-servers --limit-rate --proto --proto-default --ciphers --url-query --noproxy --retry-max-time -u --user --oauth2-bearer',
      number:
        '-C -m -y -Y -z --max-time --connect-timeout --retry --retry-delay --max-redirs --max-filesize --continue-at --keepalive-time --parallel-max --speed-limit --speed-time',
      unread:
        '-K -Q -t -P -U -x --config --quote --telnet-option --ftp-port --proxy --proxy-user --preproxy --socks4 --socks5 --socks5-hostname --unix-socket --engine --libcurl --key-type --variable',
    },
    changes: { write: '-T --upload-file' },
    dash: 'output',
    operands: ['url+'],
    instead: [{ with: '--url', operands: ['url*'] }],
  },
  wget: {
    does: 'read',
    flags: `-4 -6 -b -c -d -E -F -H -k -K -L -m -N -p -q -r -S -v -x --background --continue --convert-links --debug --inet4-only --mirror
      --no-cache --no-check-certificate --no-clobber --no-cookies --no-host-directories --no-parent --no-verbose --page-requisites --quiet --recursive
      --server-response --show-progress --spider --span-hosts --timestamping --verbose --content-disposition --no-proxy`,
    values: {
      write: '-O -o -a -P --output-document --output-file --append-output --directory-prefix',
      read: '--post-file --body-file --ca-certificate --certificate --private-key',
      method: '--method',
      number:
        '-t -T -w -l -Q --tries --timeout --wait --level --quota --max-redirect --limit-rate --connect-timeout --read-timeout',
      text: '-U --header --user-agent --referer --post-data --body-data',
      word: '-A -D -I -R -X -B -n --accept --domains --reject --user --password --base',
      unread: '-e -i --execute --input-file --config --use-askpass --warc-file',
    },
    changes: { write: '--post-data --post-file --body-data --body-file --method' },
    dash: 'output',
    operands: ['url+'],
  },
  'scp sftp': {
    does: 'execute',
    whole: true,
    flags: '-3 -4 -6 -A -a -B -C -f -N -O -p -q -R -r -s -T -v',
    values: { word: '-b -c -i -J -l -P -X', unread: '-D -F -o -S' },
    operands: ['word*'],
  },
} as const satisfies Family;
