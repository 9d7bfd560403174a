/** Generated from core/catalog/program-kinds.yaml by `npm run docs`: do not edit. */

export const printingSecrets = [
  "vault read",
  "vault kv get",
  "vault token lookup",
  "op read",
  "op item get",
  "pass show",
  "security find-generic-password",
  "printenv",
  "export -p"
] as const;

export const copiesToBuckets = [
  "s3 cp",
  "s3 sync",
  "s3 mv",
  "storage cp",
  "storage mv",
  "storage rsync"
] as const;

export const erasing = "mkfs mkfs* wipefs dropdb" as const;

export const becoming = "sudo su doas pkexec runuser" as const;

export const granting = "useradd adduser userdel usermod groupmod gpasswd chpasswd visudo crontab setcap insmod modprobe nsenter" as const;

export const passwords = "passwd" as const;

export const connecting = "nc ncat netcat socat telnet ftp tftp lftp" as const;

export const remote = "ssh scp sftp" as const;

export const copying = "scp sftp rsync" as const;

export const mailing = "mail mailx sendmail mutt msmtp swaks" as const;

export const reaching = "rsync curl wget ping dig nslookup host nmap psql mysql redis-cli mongosh" as const;
