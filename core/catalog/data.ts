/** Generated from core/catalog/*.yaml by `npm run docs`: do not edit. */
import type { Network, NetworkFacts, SecretFileGlobs, SecretFiles } from '#core/contracts/catalog.ts';
import type { ToolGuard } from '#core/contracts/tool-policy.ts';

export const networksData: Readonly<Record<Network, NetworkFacts>> = {
  'public': {
    ranges: "0.0.0.0/0 2000::/3".split(' '),
    hosts: [],
  },
  'private': {
    ranges: "10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 100.64.0.0/10".split(' '),
    hosts: "*.localhost ip6-localhost broadcasthost *.localdomain localtest.me *.localtest.me lvh.me *.lvh.me vcap.me *.vcap.me lacolhost.com *.lacolhost.com *.local *.internal *.intranet *.corp *.home *.lan *.private *.svc *.arpa *.test metadata.*".split(' '),
  },
  'loopback': {
    ranges: "127.0.0.0/8 ::1/128".split(' '),
    hosts: "localhost".split(' '),
  },
  'link-local': {
    ranges: "169.254.0.0/16 fe80::/10".split(' '),
    hosts: [],
  },
  'metadata': {
    ranges: "169.254.169.254/32 169.254.170.2/32 169.254.170.23/32 fd00:ec2::/32 fd20:ce::254/128 100.100.100.200/32 192.0.0.192/32 168.63.129.16/32 169.254.0.23/32 169.254.42.42/32".split(' '),
    hosts: "metadata.google.internal metadata.goog metadata.azure.internal metadata.azure.com instance-data instance-data.ec2.internal metadata.tencentyun.com metadata.platformequinix.com rancher-metadata".split(' '),
  },
  'reserved': {
    ranges: "::/0 0.0.0.0/8 ::/128 192.0.0.0/24 2001::/23 192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20 192.88.99.0/24 2002::/16 64:ff9b::/96 64:ff9b:1::/48 198.18.0.0/15 224.0.0.0/4 ff00::/8 240.0.0.0/4 fec0::/10".split(' '),
    hosts: [],
  },
};

export const addressDomains = "nip.io sslip.io xip.io traefik.me localtls.com".split(' ');

export const secretFilesData: Readonly<Record<keyof SecretFiles, SecretFileGlobs>> = {
  'secret-files': {
    names: "env~[1-9] .dev.vars .renviron .ssh ssh~[1-9] .rhosts .shosts .xauthority .vnc .remmina winscp.ini .gnupg gnupg~[1-9] .password-store .lastpass .op/config .pki/nssdb _netrc .authinfo .smbcredentials sitemanager.xml recentservers.xml rclone.conf .fetchmailrc .msmtprc .mbsyncrc .offlineimaprc .weechat/sec.conf .telegram-cli pgpass.conf .my.cnf .mylogin.cnf .redisclirc .dbshell .snowsql .snowflake .dbt/profiles.yml .git-credential .cvspass .subversion/auth .travis/config.yml .circleci/cli.yml .jira.d .pypirc pip.conf .nuget/**nuget.config .gradle/gradle.properties .ivy2/.credentials .sbt/.credentials .kube kube~[1-9] k3s.yaml .dockercfg .rancher/cli2.json .argocd .aws aws~[1-9] .saml2aws .awsvault .granted .ecs/credentials .azure .boto .gsutil .oci .bluemix .ibmcloud .aliyun .tccli .ovh.conf .doctl .s3cfg .mc/config.json .cf/config.json .databrickscfg .heroku .railway .vercel/auth.json .netlify/config.json .wrangler/config .supabase/access-token .cloudflared .ngrok2 .vault-token .consul-token .nomad-token .vault_pass .vault-pass .vault_password .chef/knife.rb .terraformrc .gateway .claude.json .huggingface/token .continue/config.json oauth_creds.json kaggle.json .htpasswd wp-config.php local.settings.json .sentryclirc jupyter_cookie_secret .jupyter/jupyter_server_config.json initialadminpassword token.pickle credentials-config.json cookies.binarycookies wallets.dat ntuser.dat ntds.dit unattend.xml autounattend.xml sysprep.inf .histfile fish_history consolehost_history.txt .token .secret .secrets".split(' '),
    paths: "**.env{,rc}{,[!A-Za-z0-9_]**,/**} **share/remmina{,/**} **{library/keychains,share/keyrings,share/kwalletd,share/lpass}{,/**} **.keychain{,-db} **.config/{op,keepassxc,bitwarden,sops}{,/**} **.netrc{,[!A-Za-z0-9_]**,/**} **.config/{rclone,filezilla}{,/**} **.config/{msmtp,signal/config.json}{,/**} **.config/{slack,discord,signal}/{cookies,local,storage,sql}{,/**} **telegramdesktop/tdata{,/**} **.pgpass{,[!A-Za-z0-9_]**,/**} **.config/{snowflake,planetscale}{,/**} **.git-credentials{,[!A-Za-z0-9_]**,/**} **.git{,.,..}/config** **git~1/config **.config/{gh,hub,glab-cli,tea,jira-cli,git/credentials}{,/**} **.npmrc{,[!A-Za-z0-9_]**,/**} **.cargo/credentials** **.m2/settings{,-security}.xml **.{gem/credentials,composer/auth.json} **share/gem/credentials{,/**} **.config/{pypoetry/auth.toml,composer/auth.json,pip/pip.conf}{,/**} **.docker/config** **kubeconfig{,[!A-Za-z0-9_]**} **.config/{argocd,containers/auth.json,helm/registry/config.json}{,/**} **containers/auth.json{,/**} **.config/{gcloud,doctl,hcloud,linode-cli,scw,exoscale,upctl.yaml}{,/**} **service{-,_,}account*.json {**/,**[_-]}{gcp,gcloud,sa,service,firebase,private}{-,_}key{,s}.json **firebase-adminsdk**.json {**/,}client_secret{,s}{,[_-]**}.json {**/,}{{**_,}accesskeys,rootkey,{**_,}credentials}.csv **.fly/config.y{,a}ml **.config/{flyctl,stripe,ngrok,netlify/config.json,configstore/firebase-tools.json}{,/**} **com.vercel.cli/auth.json{,/**} **{.tfvars,.tfstate}{,[!A-Za-z0-9_]**} **tfvars.json **.terraform.d/credentials** {**/,}{.,}vault{_,-}pass{,word}{,.txt} **{jenkins,jenkins_home}/secrets{,/**} **mcp.json{,[!A-Za-z0-9_]**} **.codex/auth.json **cache/huggingface/token{,/**} **opencode/auth.json{,/**} **.config/github-copilot{,/**} **{chrome,chromium,brave,edge,firefox,mozilla,vivaldi,opera,thunderbird}**/{cookies{,.sqlite},logins{,-backup}.json,key[34].db,signons.sqlite}{,-journal,-wal} **{.config/{google-chrome,chromium,bravesoftware,vivaldi,opera,microsoft-edge}{,-beta,-dev,-unstable},google/chrome/{default,profile,guest,local,user},brave-browser,.mozilla,mozilla/firefox,.thunderbird,library/{safari,cookies}}{,/**} **wallet.dat{,[!A-Za-z0-9_]**} **.{bitcoin,litecoin,dogecoin,zcash,ethereum/keystore,electrum/wallets,monero,near-credentials,foundry/keystores,brownie/accounts,sui/sui_config,aptos/config.yaml}{,/**} {**/,}utc--[12]**--[0-9a-f]** **{exodus.wallet{,/**},solana/id.json,.skey} **appdata/{local,roaming}/microsoft/{credentials,protect,vault}{,/**} **.{bash,zsh,sh,ash,ksh,fish,irb,node_repl,psql,mysql,sqlite,rediscli,python}_history **.mycli-history{,/**} **{credentials,secrets}.{json,yml,yaml,toml,ini,xml,properties,conf,cfg,env,txt}{,[!A-Za-z0-9_]**} {**/,}{credential,secret}.{json,yml,yaml,toml,ini} {**/,}{secrets,credentials}.*.{json,yml,yaml,toml,ini,xml,env,properties} {**/,}{password,passwords}.{txt,csv,json,yml,yaml,xlsx} {**/,}{{access,auth,refresh,bearer,api}{_,-}token{,s},{api,secret,private}{,_,-}key{,s}}.{txt,json} {**/,}{secret,secrets,mnemonic,seed-phrase,{**[_-],}{recovery,backup}{_,-}codes}.txt {**/,}secrets/{,**/}{password,token,secret,key,*{_,-}{password,token,secret,key}}{,s}{,.txt}".split(' '),
    except: "**.{example,sample,template,tmpl,dist,defaults} **.{example,sample,template}.{env,json,yml,yaml,toml,ini,tfvars,conf} {**/,}{example,sample,template}{.,-}env {process,import.meta}.env{,.**} {**/,}.secrets.baseline".split(' '),
    reason: "The call names a secret (keys, credentials, .env files, system accounts).",
    contents: true,
  },
  'key-files': {
    names: "age-key.txt".split(' '),
    paths: "**.{pem,p8,p12,pfx,jks,keystore,kdbx,ppk,key,ovpn}{,[!A-Za-z0-9_]**} {**/,**[!A-Za-z0-9],}id_{rsa,dsa,ecdsa,ed25519}** **.{agekey,keytab} {**/,}{krb5cc_[0-9]**,deploy{_,-}key} {**/,}*wallet*.keys".split(' '),
    except: "**.pub **.{pub,public}.{pem,key} {**/,**[._-],}{ca,cacert,ca-bundle,ca-cert,cert,chain,fullchain,public,pub,pubkey,public-key,public_key}.pem".split(' '),
    reason: "The call names a secret (keys, credentials, .env files, system accounts).",
    contents: true,
  },
  'system-files': {
    names: [],
    paths: "**/etc/{shadow,gshadow,passwd,sudoers,ssh,security,krb5.keytab,kubernetes}{,[!A-Za-z0-9_]**,/**} **/etc/ssl/private{,/**} **/etc/{shadow-,gshadow-,master.passwd,wireguard,openvpn,ppp/chap-secrets,wpa_supplicant,networkmanager/system-connections,ldap.secret,samba/credentials}{,/**} **/windows/system32/config{,/**} **/proc/{kcore,**/{environ,mem,fd/**}} {,**/}/{,var/}run/secrets{,/**} {,**/}/{,**/}kubernetes.io~secret/** {,**/}/{dev/{mem,kmem,port,sd[a-z]**,vd[a-z]**,xvd[a-z]**,nvme[0-9]**,dm-[0-9]**,mapper/**,disk/**},{,var/}run/docker.sock}".split(' '),
    except: [],
    reason: "The call names a system file that holds secrets or controls the machine (accounts, keys, raw devices, sockets).",
    contents: false,
  },
};

export const guardsData: readonly ToolGuard[] = [
  {
    "name": "secret-tools",
    "protocols": [
      "mcp",
      "http",
      "git"
    ],
    "tool": "**{secret,secrets,credential,credentials,password,passwords,{api,private,access,signing,encryption}{,_,-}key{,s},{access,auth,bearer,api,refresh,oauth,session}{,_,-}token{,s},{get,read,fetch,retrieve,show,view,print,reveal,dump,export}{,_,-}token,{get,read,fetch,list,show,view,print,dump}{,_,-}env,{env,environment}{,_,-}{var,vars,variable,variables},kubeconfig{,s},{connection,conn}{,_,-}string{,s},{password,passwd}{,_,-}hash{,es},{account,master,root,host,wallet,session,service,service{_,-}role,anon,admin,license}{,_,-}key{,s},{get,read,fetch,show,view,export,dump}{,_,-}ssh{,_,-}key{,s},{session,auth,login}{,_,-}cookie{,s},{get,read,fetch,list,export,dump}{,_,-}{cookie,cookies,tokens,vault,clipboard,sms},{get,read,fetch,show,list,export}{_,-}{,**[_-]}{jwt,jwts,dsn,dsns,pem},{seed,recovery,pass}{,_,-}phrase{,s},mnemonic{,s},{recovery,backup,mfa,otp,totp,2fa,verification}{,_,-}code{,s},keystore{,s},keyring,keychain,cred,creds,passwd,dotenv,{gpg,pgp,hmac,tls,ssl,cert,certificate}{,_,-}key{,s},{gpg,pgp}{_,-}private,{sas,bot,bearer,jwt,installation,deploy,personal{_,-}access,service{_,-}account}{,_,-}token{,s},{id,user,app,admin,csrf}{_,-}token,kube{_,-}config{,s},{database,db,redis,mongo,mongodb,postgres,postgresql,mysql,amqp,jdbc}{,_,-}{url,uri}{,s},{auth,authorization}{,_,-}header{,s},{get,read,fetch}{_,-}{bearer,otp,totp},{bash,zsh,shell,psql}{_,-}history,{env,dotenv}{_,-}file{,s},{magic,reset,login,signin,sign_in}{_,-}link{,s},{secrets,secret}{,_,-}manager,{1password,onepassword,bitwarden,lastpass,keepass}}{,{_,-}{item,items,entry,entries,file},{_,-,}{value,values,string},{_,-}{version,text,data,content,contents,by_**,for_**,from_**}}",
    "capability": "read",
    "reason": "The tool hands out a secret."
  },
  {
    "name": "secret-tools",
    "protocols": [
      "mcp",
      "http",
      "git"
    ],
    "tool": "{**.,}{secret,secrets,vault,keyvault,secretsmanager,secret-manager,keychain,credentials}.**",
    "capability": "read",
    "reason": "The tool hands out a secret."
  },
  {
    "name": "secret-tools",
    "protocols": [
      "shell"
    ],
    "arguments": {
      "shows": {
        "equals": "secrets"
      }
    },
    "reason": "Agents must not read secrets."
  },
  {
    "name": "secret-addresses",
    "protocols": [
      "mcp"
    ],
    "target": "{{env,vault,secret,secrets,keychain,keyring,credentials,op,ssm,secretsmanager,{aws,gcp,azure}-{secret,secrets,secretsmanager,keyvault}}://**,{k8s,kube,kubernetes}://{**/,}secrets{,/**}}",
    "reason": "The address names a store of secrets."
  },
  {
    "name": "secret-addresses",
    "protocols": [
      "mcp"
    ],
    "arguments": {
      "** (not-text)": {
        "glob": "{{env,vault,secret,secrets,keychain,keyring,credentials,op,ssm,secretsmanager,{aws,gcp,azure}-{secret,secrets,secretsmanager,keyvault}}://**,{k8s,kube,kubernetes}://{**/,}secrets{,/**}}"
      }
    },
    "reason": "The address names a store of secrets."
  },
  {
    "name": "climbing-out",
    "paths": [
      "..{,/**}"
    ],
    "reason": "The path climbs out of the workspace."
  },
  {
    "name": "cluster-secrets",
    "protocols": [
      "mcp"
    ],
    "tool": "**{kubectl,kubernetes,kube,k8s,openshift}**",
    "arguments": {
      "** (not-text)": {
        "glob": "{,**[!A-Za-z0-9],**v1/{,**/}}[Ss][Ee][Cc][Rr][Ee][Tt]{,S,s}{,/**,[.?]**}"
      }
    },
    "reason": "The call names secrets of a cluster."
  },
  {
    "name": "cluster-secrets",
    "protocols": [
      "mcp"
    ],
    "arguments": {
      "kind": {
        "glob": "[Ss][Ee][Cc][Rr][Ee][Tt]{,s}{,[Ll]ist,.**}"
      }
    },
    "reason": "The call names secrets of a cluster."
  },
  {
    "name": "cluster-secrets",
    "protocols": [
      "mcp"
    ],
    "arguments": {
      "Kind": {
        "glob": "[Ss][Ee][Cc][Rr][Ee][Tt]{,s}{,[Ll]ist,.**}"
      }
    },
    "reason": "The call names secrets of a cluster."
  },
  {
    "name": "cluster-secrets",
    "protocols": [
      "mcp"
    ],
    "arguments": {
      "kinds[?]": {
        "glob": "[Ss][Ee][Cc][Rr][Ee][Tt]{,s}{,[Ll]ist,.**}"
      }
    },
    "reason": "The call names secrets of a cluster."
  },
  {
    "name": "cluster-secrets",
    "protocols": [
      "mcp"
    ],
    "arguments": {
      "resourceType": {
        "glob": "[Ss][Ee][Cc][Rr][Ee][Tt]{,s}{,[Ll]ist,.**}"
      }
    },
    "reason": "The call names secrets of a cluster."
  },
  {
    "name": "cluster-secrets",
    "protocols": [
      "mcp"
    ],
    "arguments": {
      "resource_type": {
        "glob": "[Ss][Ee][Cc][Rr][Ee][Tt]{,s}{,[Ll]ist,.**}"
      }
    },
    "reason": "The call names secrets of a cluster."
  }
];
