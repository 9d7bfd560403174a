/** Generated from core/catalog/*.yaml by `npm run docs`: do not edit. */
import type { Networks } from '#core/contracts/catalog.ts';

export const networksData: Networks = {
  "ranges": [
    {
      "network": "public",
      "addresses": [
        "0.0.0.0/0",
        "2000::/3"
      ],
      "description": "Everything that no narrower range describes"
    },
    {
      "network": "reserved",
      "addresses": [
        "::/0"
      ],
      "description": "IPv6 outside 2000::/3, including addresses that embed an IPv4 address"
    },
    {
      "network": "loopback",
      "addresses": [
        "127.0.0.0/8",
        "::1/128"
      ],
      "description": "This machine"
    },
    {
      "network": "private",
      "addresses": [
        "10.0.0.0/8",
        "172.16.0.0/12",
        "192.168.0.0/16",
        "fc00::/7"
      ],
      "description": "Private networks (RFC 1918, RFC 4193)"
    },
    {
      "network": "private",
      "addresses": [
        "100.64.0.0/10"
      ],
      "description": "Carrier-grade NAT, also used by VPNs and pod networks (RFC 6598)"
    },
    {
      "network": "link-local",
      "addresses": [
        "169.254.0.0/16",
        "fe80::/10"
      ],
      "description": "The local link (RFC 3927, RFC 4291)"
    },
    {
      "network": "metadata",
      "addresses": [
        "169.254.169.254/32"
      ],
      "description": "Instance metadata of AWS, Azure, Google Cloud, Oracle Cloud, DigitalOcean and OpenStack"
    },
    {
      "network": "metadata",
      "addresses": [
        "169.254.170.2/32",
        "169.254.170.23/32",
        "fd00:ec2::/32"
      ],
      "description": "AWS credentials of ECS tasks and EKS pods, and instance metadata over IPv6"
    },
    {
      "network": "metadata",
      "addresses": [
        "fd20:ce::254/128"
      ],
      "description": "Google Cloud instance metadata over IPv6"
    },
    {
      "network": "metadata",
      "addresses": [
        "100.100.100.200/32"
      ],
      "description": "Alibaba Cloud instance metadata"
    },
    {
      "network": "metadata",
      "addresses": [
        "192.0.0.192/32"
      ],
      "description": "Oracle Cloud instance metadata, earlier address"
    },
    {
      "network": "metadata",
      "addresses": [
        "168.63.129.16/32"
      ],
      "description": "Azure host services"
    },
    {
      "network": "metadata",
      "addresses": [
        "169.254.0.23/32",
        "169.254.42.42/32"
      ],
      "description": "Instance metadata of Tencent Cloud and Scaleway"
    },
    {
      "network": "reserved",
      "addresses": [
        "0.0.0.0/8",
        "::/128"
      ],
      "description": "This network, and the unspecified address"
    },
    {
      "network": "reserved",
      "addresses": [
        "192.0.0.0/24",
        "2001::/23"
      ],
      "description": "IETF protocol assignments, including Teredo and ORCHID"
    },
    {
      "network": "reserved",
      "addresses": [
        "192.0.2.0/24",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "2001:db8::/32",
        "3fff::/20"
      ],
      "description": "Documentation"
    },
    {
      "network": "reserved",
      "addresses": [
        "192.88.99.0/24",
        "2002::/16",
        "64:ff9b::/96",
        "64:ff9b:1::/48"
      ],
      "description": "Tunnels and translators that lead to another IPv4 address (6to4, NAT64)"
    },
    {
      "network": "reserved",
      "addresses": [
        "198.18.0.0/15"
      ],
      "description": "Benchmarks"
    },
    {
      "network": "reserved",
      "addresses": [
        "224.0.0.0/4",
        "ff00::/8"
      ],
      "description": "Multicast"
    },
    {
      "network": "reserved",
      "addresses": [
        "240.0.0.0/4",
        "fec0::/10"
      ],
      "description": "Reserved for future use, broadcast, and the former site-local range"
    }
  ],
  "hosts": [
    {
      "network": "loopback",
      "names": [
        "localhost"
      ],
      "description": "This machine"
    },
    {
      "network": "private",
      "names": [
        "*.localhost",
        "ip6-localhost",
        "broadcasthost",
        "*.localdomain"
      ],
      "description": "Names that resolvers may map to this machine"
    },
    {
      "network": "private",
      "names": [
        "localtest.me",
        "*.localtest.me",
        "lvh.me",
        "*.lvh.me",
        "vcap.me",
        "*.vcap.me",
        "lacolhost.com",
        "*.lacolhost.com"
      ],
      "description": "Public names that resolve to 127.0.0.1"
    },
    {
      "network": "private",
      "names": [
        "*.local",
        "*.internal",
        "*.intranet",
        "*.corp",
        "*.home",
        "*.lan",
        "*.private",
        "*.svc",
        "*.arpa",
        "*.test"
      ],
      "description": "Names of internal networks"
    },
    {
      "network": "metadata",
      "names": [
        "metadata.google.internal",
        "metadata.goog",
        "metadata.azure.internal",
        "metadata.azure.com"
      ],
      "description": "Metadata services of Google Cloud and Azure"
    },
    {
      "network": "metadata",
      "names": [
        "instance-data",
        "instance-data.ec2.internal",
        "metadata.tencentyun.com",
        "metadata.platformequinix.com",
        "rancher-metadata"
      ],
      "description": "Metadata services of AWS, Tencent Cloud, Equinix Metal and Rancher"
    },
    {
      "network": "private",
      "names": [
        "metadata.*"
      ],
      "description": "Metadata services under other domains"
    }
  ],
  "address_domains": [
    "nip.io",
    "sslip.io",
    "xip.io",
    "traefik.me",
    "localtls.com"
  ]
};
