// Command foreign verifies a transparency log with code that is not the gateway's: x/mod/sumdb/note and tlog, and
// transparency-dev/merkle. It reads the folder that foreign.ts writes.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type inclusion struct {
	Index uint64   `json:"index"`
	Leaf  []byte   `json:"leaf"`
	Proof [][]byte `json:"proof"`
}

type consistency struct {
	From     uint64   `json:"from"`
	FromRoot []byte   `json:"from_root"`
	Proof    [][]byte `json:"proof"`
}

type fixture struct {
	LogKey     string        `json:"log_key"`
	WitnessKey string        `json:"witness_key"`
	Checkpoint string        `json:"checkpoint"`
	Inclusion  []inclusion   `json:"inclusion"`
	Growth     []consistency `json:"growth"`
}

// tiles reads the files of the C2SP layout, which leaves out the height that tlog writes into paths.
type tiles struct{ folder string }

func (t tiles) Height() int { return 8 }

func (t tiles) ReadTiles(all []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range all {
		path := strings.Replace(tile.Path(), "tile/8/", "tile/", 1)
		read, err := os.ReadFile(filepath.Join(t.folder, path))
		if err != nil {
			return nil, err
		}
		data = append(data, read)
	}
	return data, nil
}

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

// cosigner verifies cosignature/v1, which the note package leaves to its users.
type cosigner struct {
	name string
	hash uint32
	key  ed25519.PublicKey
}

func (c cosigner) Name() string    { return c.name }
func (c cosigner) KeyHash() uint32 { return c.hash }

func (c cosigner) Verify(msg, sig []byte) bool {
	if len(sig) != 72 {
		return false
	}
	header := fmt.Sprintf("cosignature/v1\ntime %d\n", binary.BigEndian.Uint64(sig))
	return ed25519.Verify(c.key, append([]byte(header), msg...), sig[8:])
}

func newCosigner(vkey string) (cosigner, error) {
	parts := strings.SplitN(vkey, "+", 3)
	key, err := base64.StdEncoding.DecodeString(parts[2])
	if err != nil || len(key) != 33 || key[0] != 4 {
		return cosigner{}, errors.New("not a cosignature key")
	}
	digest := sha256.Sum256(append([]byte(parts[0]+"\n"), key...))
	hash := binary.BigEndian.Uint32(digest[:])
	if fmt.Sprintf("%08x", hash) != parts[1] {
		return cosigner{}, errors.New("the id of the cosignature key does not match the key")
	}
	return cosigner{parts[0], hash, ed25519.PublicKey(key[1:])}, nil
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func refused(what string, err error) {
	if err == nil {
		log.Fatalf("accepted: %s", what)
	}
}

func main() {
	folder := os.Args[1]
	bytesOf, err := os.ReadFile(filepath.Join(folder, "fixture.json"))
	must(err)
	var given fixture
	must(json.Unmarshal(bytesOf, &given))

	// Note: the signature of the log and the cosignature of the witness.
	verifier, err := note.NewVerifier(given.LogKey)
	must(err)
	witness, err := newCosigner(given.WitnessKey)
	must(err)
	opened, err := note.Open([]byte(given.Checkpoint), note.VerifierList(verifier, witness))
	must(err)
	if len(opened.Sigs) != 2 {
		log.Fatalf("%d of 2 signatures hold", len(opened.Sigs))
	}
	_, err = note.Open(bytes.Replace([]byte(given.Checkpoint), []byte("\n"), []byte("x\n"), 1), note.VerifierList(verifier))
	refused("a changed checkpoint", err)
	lines := strings.Split(opened.Text, "\n")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	root, err := base64.StdEncoding.DecodeString(lines[2])
	must(err)

	// Tiles: tlog authenticates each against the root, and makes its own proofs from them.
	tree := tlog.Tree{N: size, Hash: tlog.Hash(root)}
	reader := tlog.TileHashReader(tree, tiles{folder})
	for _, each := range given.Inclusion {
		own, err := tlog.ProveRecord(size, int64(each.Index), reader)
		must(err)
		if len(own) != len(each.Proof) {
			log.Fatalf("leaf %d: %d hashes, tlog has %d", each.Index, len(each.Proof), len(own))
		}
		for i, hash := range own {
			if !bytes.Equal(hash[:], each.Proof[i]) {
				log.Fatalf("leaf %d: hash %d of the proof differs from tlog's", each.Index, i)
			}
		}
		must(tlog.CheckRecord(own, size, tree.Hash, int64(each.Index), tlog.RecordHash(each.Leaf)))
		leaf := rfc6962.DefaultHasher.HashLeaf(each.Leaf)
		must(proof.VerifyInclusion(rfc6962.DefaultHasher, each.Index, uint64(size), leaf, each.Proof, root))
		refused("another leaf", proof.VerifyInclusion(rfc6962.DefaultHasher, each.Index, uint64(size), root, each.Proof, root))
	}
	for _, each := range given.Growth {
		must(proof.VerifyConsistency(rfc6962.DefaultHasher, each.From, uint64(size), each.Proof, each.FromRoot, root))
		refused("another past", proof.VerifyConsistency(rfc6962.DefaultHasher, each.From, uint64(size), each.Proof, make([]byte, 32), root))
		var hashes tlog.TreeProof
		for _, hash := range each.Proof {
			hashes = append(hashes, tlog.Hash(hash))
		}
		must(tlog.CheckTree(hashes, size, tree.Hash, int64(each.From), tlog.Hash(each.FromRoot)))
	}

	// Entry bundles: each leaf has the hash that the tiles of level 0 hold.
	count := int64(0)
	for n := int64(0); n*256 < size; n++ {
		width := min(size-n*256, 256)
		path := tlog.Tile{H: 8, L: -1, N: n, W: int(width)}.Path()
		path = strings.Replace(path, "tile/8/data/", "tile/entries/", 1)
		bundle, err := os.ReadFile(filepath.Join(folder, path))
		must(err)
		for len(bundle) > 0 {
			length := int(binary.BigEndian.Uint16(bundle))
			hashes, err := reader.ReadHashes([]int64{tlog.StoredHashIndex(0, count)})
			must(err)
			if hashes[0] != tlog.RecordHash(bundle[2:2+length]) {
				log.Fatalf("leaf %d is not the one of the tile", count)
			}
			bundle = bundle[2+length:]
			count++
		}
	}
	if count != size {
		log.Fatalf("%d of %d leaves", count, size)
	}
	fmt.Printf("verified by Go: 2 signatures, %d leaves in tiles, %d inclusion and %d consistency proofs\n",
		count, len(given.Inclusion), len(given.Growth))
}
