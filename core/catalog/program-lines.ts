/** Generated from core/catalog/program-kinds.yaml by `npm run docs`: do not edit. */

export const readingFiles = "ls stat cat head tail nl wc grep egrep fgrep cut sort file cmp md5sum sha1sum sha256sum sha512sum cksum basename dirname" as const;

export const takingText = "node echo printf true false sleep date kill test expr seq" as const;

export const injected = "rm curl wget cat bash sh zsh nc ncat python python3 perl ruby node php chmod chown dd mkfs sudo kill id whoami ls touch mv cp tee env printenv powershell cmd nslookup ping base64 eval exec echo sleep uname tar scp ssh openssl socat telnet crontab reboot shutdown doas pkexec runuser netcat lftp tftp pwsh dash ksh useradd adduser usermod visudo nsenter insmod modprobe wipefs shred killall pkill" as const;
