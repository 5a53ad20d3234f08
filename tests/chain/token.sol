// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity ^0.8.20;

/// A token for tests with six decimals and transfers by authorization (EIP-3009), under the names that USDC uses.
///
/// Its code is placed at an address without a constructor, so everything that it needs to know is a constant. Every
/// account can mint.
contract TestToken {
    string public constant name = "USDC";
    string public constant version = "2";
    uint8 public constant decimals = 6;

    bytes32 private constant DOMAIN =
        keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
    bytes32 private constant TRANSFER =
        keccak256("TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)");
    bytes32 private constant CANCEL = keccak256("CancelAuthorization(address authorizer,bytes32 nonce)");
    /// Half the order of the curve: of two valid signatures the token takes the one below.
    uint256 private constant HALF = 0x7FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF5D576E7357A4501DDFE92F46681B20A0;

    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(bytes32 => bool)) public authorizationState;

    event Transfer(address indexed from, address indexed to, uint256 value);
    event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce);
    event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce);

    function mint(address to, uint256 value) external {
        balanceOf[to] += value;
        emit Transfer(address(0), to, value);
    }

    function transfer(address to, uint256 value) external returns (bool) {
        pay(msg.sender, to, value);
        return true;
    }

    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        uint8 v, bytes32 r, bytes32 s
    ) external {
        carryOut(from, to, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function transferWithAuthorization(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        bytes memory signature
    ) external {
        carryOut(from, to, value, validAfter, validBefore, nonce, signature);
    }

    function cancelAuthorization(address authorizer, bytes32 nonce, bytes memory signature) external {
        use(authorizer, nonce);
        requireSigned(authorizer, keccak256(abi.encode(CANCEL, authorizer, nonce)), signature);
        emit AuthorizationCanceled(authorizer, nonce);
    }

    function carryOut(
        address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce,
        bytes memory signature
    ) private {
        require(block.timestamp > validAfter, "FiatTokenV2: authorization is not yet valid");
        require(block.timestamp < validBefore, "FiatTokenV2: authorization is expired");
        use(from, nonce);
        bytes32 message = keccak256(abi.encode(TRANSFER, from, to, value, validAfter, validBefore, nonce));
        requireSigned(from, message, signature);
        emit AuthorizationUsed(from, nonce);
        pay(from, to, value);
    }

    function use(address authorizer, bytes32 nonce) private {
        require(!authorizationState[authorizer][nonce], "FiatTokenV2: authorization is used or canceled");
        authorizationState[authorizer][nonce] = true;
    }

    function requireSigned(address signer, bytes32 message, bytes memory signature) private view {
        bytes32 domain = keccak256(
            abi.encode(DOMAIN, keccak256(bytes(name)), keccak256(bytes(version)), block.chainid, address(this))
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", domain, message));
        require(signature.length == 65, "FiatTokenV2: invalid signature");
        (bytes32 r, bytes32 s, uint8 v) = (word(signature, 32), word(signature, 64), uint8(signature[64]));
        bool formed = uint256(s) <= HALF && (v == 27 || v == 28);
        require(formed && signer != address(0) && ecrecover(digest, v, r, s) == signer, "FiatTokenV2: invalid signature");
    }

    function word(bytes memory data, uint256 offset) private pure returns (bytes32 value) {
        assembly { value := mload(add(data, offset)) }
    }

    function pay(address from, address to, uint256 value) private {
        require(balanceOf[from] >= value, "ERC20: transfer amount exceeds balance");
        unchecked { balanceOf[from] -= value; }
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }
}

/// The part of the usual multicall contract that the reference facilitator calls.
contract TestMulticall {
    struct Call { address target; bytes callData; }
    struct Result { bool success; bytes returnData; }

    function tryAggregate(bool all, Call[] calldata calls) external payable returns (Result[] memory results) {
        results = new Result[](calls.length);
        for (uint256 at = 0; at < calls.length; at++) {
            (bool success, bytes memory data) = calls[at].target.call(calls[at].callData);
            require(success || !all, "a call failed");
            results[at] = Result(success, data);
        }
    }
}
