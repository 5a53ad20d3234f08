//! Which addresses are public.
//!
//! IPv4 addresses are refused by the special-purpose registry of IANA (RFC 6890 and its updates).
//!
//! For IPv6, only global unicast space is allowed,
//! without its parts for tunnels, tests and similar uses.
//! This refuses mapped, compatible, translated, unique local, link-local,
//! multicast and unallocated space.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Networks that are not public, as (network, prefix length), with their registry names.
const IPV4: &[(Ipv4Addr, u32)] = &[
    // This network.
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    // Private use.
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    // Carrier-grade NAT.
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    // Loopback.
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    // A cloud's own services, in public space.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
    // Link-local, where clouds keep their metadata.
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    // Private use.
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    // IETF protocol assignments.
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    // Documentation.
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    // AS112.
    (Ipv4Addr::new(192, 31, 196, 0), 24),
    // AMT.
    (Ipv4Addr::new(192, 52, 193, 0), 24),
    // 6to4 relays, deprecated.
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    // Private use.
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    // AS112.
    (Ipv4Addr::new(192, 175, 48, 0), 24),
    // Benchmarks.
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    // Documentation.
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    // Documentation.
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Multicast.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    // Reserved, and broadcast.
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The only IPv6 space that is allowed.
const GLOBAL_UNICAST: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);

/// Parts of it that are not.
const IPV6: &[(Ipv6Addr, u32)] = &[
    // Teredo, benchmarks, ORCHID and other protocol assignments.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    // Documentation.
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    // 6to4: an IPv4 address inside.
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    // AS112.
    (Ipv6Addr::new(0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0), 48),
    // Documentation.
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Whether an address is public, so that it may be fetched from.
#[must_use]
pub fn judge_address(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => !IPV4.iter().any(|(network, length)| {
            in_network(
                u128::from(address.to_bits()),
                u128::from(network.to_bits()),
                *length,
                32,
            )
        }),
        IpAddr::V6(address) => {
            let inside = |(network, length): &(Ipv6Addr, u32)| {
                in_network(address.to_bits(), network.to_bits(), *length, 128)
            };
            inside(&GLOBAL_UNICAST) && !IPV6.iter().any(inside)
        }
    }
}

fn in_network(address: u128, network: u128, length: u32, width: u32) -> bool {
    let shift = width - length;
    address.checked_shr(shift) == network.checked_shr(shift)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn check(address: &str, public: bool) {
        assert_eq!(
            judge_address(address.parse().expect(address)),
            public,
            "{address}"
        );
    }

    #[test]
    fn first_and_last_of_each_network_are_refused_and_their_neighbours_are_not() {
        for (network, length) in IPV4 {
            let first = network.to_bits();
            let last = first | u32::MAX.checked_shr(*length).unwrap_or(0);
            assert!(
                !judge_address(IpAddr::V4(Ipv4Addr::from_bits(first))),
                "{network}"
            );
            assert!(!judge_address(IpAddr::V4(Ipv4Addr::from_bits(last))), "{network}");
        }
        for neighbour in [
            "1.0.0.0",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "168.63.129.15",
            "168.63.129.17",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.0",
            "192.0.3.0",
            "192.31.195.255",
            "192.88.98.255",
            "192.88.100.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "198.51.99.255",
            "203.0.112.255",
            "203.0.114.0",
            "223.255.255.255",
            "8.8.8.8",
            "1.1.1.1",
        ] {
            check(neighbour, true);
        }
    }

    #[test]
    fn only_global_unicast_ipv6_is_public() {
        for address in [
            "2606:4700:4700::1111",
            "2a00:1450:4001::8a",
            "2000::1",
            "2001:200::1",
            "2001:4860:4860::8888",
            "3ffe::1",
        ] {
            check(address, true);
        }
        for address in [
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::ffff:0:127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:1ff:ffff::1",
            "2001:db8::1",
            "2002:7f00:1::",
            "2620:4f:8000::1",
            "3fff::1",
            "3fff:fff:ffff::1",
            "4000::1",
            "5f00::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "fd00:ec2::254",
        ] {
            check(address, false);
        }
    }

    proptest! {
        #[test]
        fn nothing_that_std_calls_special_is_public(bits in any::<u32>()) {
            let address = Ipv4Addr::from_bits(bits);
            let special = address.is_private() || address.is_loopback() || address.is_link_local() || address.is_broadcast()
                || address.is_documentation() || address.is_multicast() || address.is_unspecified();
            prop_assert!(!(special && judge_address(IpAddr::V4(address))));
        }

        #[test]
        fn no_ipv6_form_of_an_ipv4_address_is_public(bits in any::<u32>()) {
            let address = Ipv4Addr::from_bits(bits);
            prop_assert!(!judge_address(IpAddr::V6(address.to_ipv6_mapped())));
            let [a, b, c, d] = address.octets();
            let compatible = format!("::{:x}:{:x}", u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
            prop_assert!(!judge_address(compatible.parse().expect("an address")));
        }
    }
}
