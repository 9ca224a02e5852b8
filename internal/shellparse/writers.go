package shellparse

// writers by base name. The table is data and never changes.
var writers = map[string]writer{
	"tee":      {grammar: grammar{short: "aip", long: "append ignore-interrupts output-error=?", permute: true}, op: opWrite, list: targets},
	"sponge":   {grammar: grammar{short: "a", permute: true}, op: opWrite, list: targets},
	"truncate": {grammar: grammar{short: "cor:s:", long: "no-create io-blocks reference= size=", permute: true}, op: opWrite, list: targets},
	"touch": {
		grammar: grammar{short: "acd:fhmr:t:", long: "no-create date= no-dereference reference= time=", permute: true},
		op:      opWrite, list: targets,
	},
	"mkdir":  {grammar: grammar{short: "m:pvZ", long: "mode= parents verbose context=?", permute: true}, op: opWrite, list: targets},
	"mkfifo": {grammar: grammar{short: "m:Z", long: "mode=", permute: true}, op: opWrite, list: targets},
	"rmdir":  {grammar: grammar{short: "pv", long: "parents verbose ignore-fail-on-non-empty", permute: true}, op: opDelete, list: targets},
	"rm": {
		grammar: grammar{
			short: "dfiIrRv", permute: true,
			long: "dir force interactive=? recursive verbose one-file-system no-preserve-root preserve-root=?",
		},
		op: opDelete, list: targets,
	},
	"unlink": {op: opDelete, list: targets},
	"ed":     {grammar: grammar{short: "Gp:slrEvh", permute: true, long: "prompt= quiet silent"}, op: opWrite, list: targets, hides: true},
	"ex":     viWriter, "vi": viWriter, "vim": viWriter, "nvim": viWriter,
	"shred": {
		grammar: grammar{short: "fn:s:uvxz", long: "force iterations= random-source= size= remove=? verbose exact zero", permute: true},
		op:      opWrite, list: targets,
	},
	"dd": {op: opWrite, list: ddTarget},
	"sed": {
		grammar: grammar{
			short: "bnre:f:El:i::suz", permute: true,
			long: "quiet silent expression= file= regexp-extended line-length= in-place=? separate unbuffered " +
				"null-data posix debug sandbox follow-symlinks binary",
		},
		op: opWrite, list: sedTargets,
	},
	"cp": {
		grammar: grammar{
			short: "abdfHiLlnPprRsS:t:TuvxZ", permute: true,
			long: "archive attributes-only backup=? copy-contents debug dereference force interactive keep-directory-symlink " +
				"link no-clobber no-dereference no-preserve= no-target-directory one-file-system parents preserve=? " +
				"recursive reflink=? remove-destination sparse= strip-trailing-slashes suffix= symbolic-link " +
				"target-directory= update=? verbose context=?",
		},
		op: opWrite, list: destinations, deep: "r R a recursive archive", soft: "s symbolic-link", hard: "l link",
	},
	"link": {op: opWrite, list: destinations, hard: "*"},
	"mv": {
		grammar: grammar{
			short: "bfinS:t:TuvZ", permute: true,
			long: "backup=? debug exchange force interactive no-clobber no-copy no-target-directory " +
				"strip-trailing-slashes suffix= target-directory= update=? verbose context",
		},
		op: opRenameTo, list: destinations,
	},
	"ln": {
		grammar: grammar{
			short: "bdFfiLnPrsS:t:Tv", permute: true,
			long: "backup=? directory force interactive logical no-dereference no-target-directory physical " +
				"relative suffix= symbolic target-directory= verbose",
		},
		op: opWrite, list: destinations, soft: "s symbolic", hard: "*",
	},
	"install": {
		grammar: grammar{
			short: "bcCdDg:m:o:pS:sTt:vZ", permute: true,
			long: "backup=? compare debug directory group= mode= owner= preserve-timestamps strip strip-program= " +
				"suffix= target-directory= no-target-directory verbose preserve-context context=?",
		},
		op: opWrite, list: destinations, mode: "d directory",
	},
	"rsync": {
		grammar: grammar{
			short: "vqcarRbudlLkKHpEAXogDtOJSNUnWxCz0hPiyI46sB:e:T:M:f:F@:", permute: true,
			long: "archive recursive relative dirs verbose quiet checksum backup backup-dir= suffix= update inplace append " +
				"links copy-links safe-links hard-links perms owner group times omit-dir-times sparse dry-run list-only " +
				"whole-file one-file-system rsh= rsync-path= existing ignore-existing remove-source-files delete " +
				"delete-before delete-during delete-delay delete-after delete-excluded force max-size= min-size= partial " +
				"partial-dir= delay-updates prune-empty-dirs numeric-ids timeout= ignore-times size-only temp-dir= " +
				"compare-dest= copy-dest= link-dest= compress filter= exclude= exclude-from= include= include-from= " +
				"files-from= stats human-readable progress itemize-changes log-file= bwlimit= mkpath chmod= chown= " +
				"info= no-perms no-owner no-group no-times",
		},
		op: opWrite, list: rsyncTargets, deep: "r a recursive archive d dirs files-from", out: "log-file",
		vague: "b backup backup-dir partial-dir T temp-dir remove-source-files",
		idle:  "n dry-run list-only", runs: "e rsh rsync-path",
	},
	"tar": {
		grammar: grammar{
			short: "AcdrtuxaBGhijJklmMnoOpPRsSUvwWzZb:C:f:F:g:H:I:K:L:N:T:V:X:", permute: true,
			long: "catenate concatenate create diff compare delete append list update extract get directory= file= " +
				"info-script= new-volume-script= listed-incremental= incremental dereference format= " +
				"use-compress-program= bzip2 xz gzip gunzip ungzip zstd lzma compress auto-compress keep-old-files " +
				"keep-newer-files skip-old-files overwrite unlink-first touch no-same-owner same-owner " +
				"preserve-permissions same-permissions no-same-permissions absolute-names numeric-owner owner= group= " +
				"mode= mtime= to-stdout to-command= files-from= exclude= exclude-from= exclude-vcs strip-components= " +
				"transform= xform= verbose verify wildcards no-wildcards null totals=? checkpoint=? " +
				"checkpoint-action= one-file-system one-top-level=? remove-files index-file= sort= label= " +
				"no-recursion recursion warning= sparse rsh-command= rmt-command= force-local",
		},
		op: opWrite, list: tarTargets, old: true, out: "g listed-incremental index-file", vague: "remove-files P absolute-names",
		idle: "t list d diff compare",
		runs: "F info-script new-volume-script I use-compress-program to-command rsh-command rmt-command checkpoint-action",
	},
	"unzip": {
		grammar: grammar{short: "aCd:DfjKlLMnoP:pqstTuvVWXxzZ:", permute: true},
		op:      opWrite, list: unzipTargets, idle: "l t v p z Z",
	},
	"gzip":   compressor("gz", "", "", ""),
	"gunzip": compressor("gz", "", "", "*"),
	"bzip2":  compressor("bz2", "", "", ""), "bunzip2": compressor("bz2", "", "", "*"),
	"xz": compressor("xz", "T:M:eQ", "threads= memlimit= extreme", ""), "unxz": compressor("xz", "T:M:eQ", "threads= memlimit=", "*"),
	"zstd": zstd(""), "unzstd": zstd("*"),
	"sort": {
		grammar: grammar{
			short: "bdfgiMhnRrVcCk:mo:sS:t:T:uz", permute: true,
			long: "ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort " +
				"human-numeric-sort numeric-sort random-sort random-source= reverse sort= version-sort batch-size= " +
				"check=? compress-program= debug files0-from= key= merge output= stable buffer-size= " +
				"field-separator= temporary-directory= parallel= unique zero-terminated",
		},
		out: "o output", runs: "compress-program",
	},
	"curl": {
		grammar: grammar{
			short: "012346aBfgGiIjJklLMnNOpqRsSvVZ#A:b:c:C:d:D:e:E:F:h::H:K:m:o:P:Q:r:t:T:u:U:w:x:X:y:Y:z:", permute: true,
			long: "output= output-dir= data= data-raw= data-binary= data-urlencode= form= form-string= header= request= " +
				"user= user-agent= referer= cookie= cookie-jar= dump-header= max-time= connect-timeout= retry= " +
				"retry-delay= retry-max-time= retry-connrefused retry-all-errors proxy= url= upload-file= range= " +
				"continue-at= cacert= cert= key= resolve= interface= limit-rate= write-out= config= trace= " +
				"trace-ascii= stderr= etag-save= etag-compare= libcurl= json= oauth2-bearer= max-redirs= time-cond= " +
				"unix-socket= ciphers= hsts= alt-svc= proto= noproxy= location location-trusted silent show-error fail " +
				"fail-with-body fail-early insecure head include verbose remote-name remote-name-all " +
				"remote-header-name create-dirs compressed get globoff progress-bar no-progress-meter ipv4 ipv6 " +
				"http1.1 http2 http3 tlsv1.2 tlsv1.3 next parallel netrc raw help version basic no-buffer remote-time",
		},
		op: opWrite, list: curlTargets, out: "D dump-header c cookie-jar trace trace-ascii stderr etag-save libcurl hsts alt-svc",
		vague: "J remote-header-name K config",
	},
	"wget": {
		grammar: grammar{
			short: "VhbdqvFcNS46xrkKmpHLEn:T:w:Q:t:O:o:a:i:B:e:P:U:l:D:A:R:I:X:Y:", permute: true,
			long: "output-document= output-file= append-output= directory-prefix= input-file= execute= quiet verbose " +
				"no-verbose continue timestamping server-response spider timeout= tries= wait= user-agent= header= " +
				"post-data= post-file= user= password= no-check-certificate content-disposition recursive level= " +
				"mirror page-requisites convert-links no-parent no-clobber no-directories no-host-directories " +
				"show-progress progress=? save-cookies= load-cookies= accept= reject= max-redirect= https-only",
		},
		op: opWrite, list: wgetTargets, deep: "r recursive m mirror p page-requisites x",
		out: "O output-document o output-file a append-output save-cookies", vague: "i input-file e execute content-disposition",
		idle: "spider V h",
	},
	"split": {
		grammar: grammar{
			short: "a:b:C:d::ex::l:n:t:u", permute: true,
			long: "suffix-length= additional-suffix= bytes= line-bytes= numeric-suffixes=? elide-empty-files " +
				"filter= hex-suffixes=? lines= number= separator= unbuffered verbose",
		},
		op: opWrite, list: splitTargets, hides: true, runs: "filter",
	},
	"csplit": {
		grammar: grammar{
			short: "b:f:kn:sz", permute: true,
			long: "suffix-format= prefix= keep-files suppress-matched digits= quiet silent elide-empty-files",
		},
		out: "f prefix", hides: true,
	},
	"patch": {
		grammar: grammar{
			short: "bcCeElnNRstuvfTZB:d:D:F:g:i:o:p:r:V:x:Y:z:", permute: true,
			long: "backup context dry-run ed remove-empty-files ignore-whitespace normal forward reverse quiet silent " +
				"batch unified force directory= fuzz= input= output= strip= reject-file= suffix= posix binary verbose",
		},
		op: opWrite, list: targets, out: "o output r reject-file", idle: "dry-run", hides: true,
	},
	"openssl": {op: opWrite, list: opensslTargets},
	"ssh-keygen": {
		grammar: grammar{short: "a:A:b:BC:cD:eE:F:f:gHhI:i:Kk:lLM:m:N:n:O:P:pQqR:r:s:t:UV:vw:Y:yz:Z:"},
		op:      opWrite, list: keygenTargets, idle: "l y B e i F L Q r",
	},
}

var viWriter = writer{
	grammar: grammar{short: "bdeEsnNrRyZmMoOpc:S:u:i:T:w:W:t:q:", permute: true, long: "cmd= clean noplugin headless"},
	op:      opWrite, list: targets, hides: true,
}

// compressor is the row of a program that puts FILE.suffix in place of FILE;
// short and long are its options beside those that all of them have.
func compressor(suffix, short, long, decode string) writer {
	return writer{
		grammar: grammar{
			short: "123456789cdfklLnNqrtvzS:F:" + short, permute: true,
			long: "stdout to-stdout decompress uncompress force keep list no-name name quiet recursive suffix= format= " +
				"test verbose fast best compress " + long,
		},
		op: opDelete, list: compressTargets, suffix: "." + suffix, decode: "d decompress uncompress " + decode, deep: "r recursive",
		vague: "S suffix F format", idle: "c stdout to-stdout t test l list",
	}
}

// zstd keeps its sources unless it is told otherwise.
func zstd(decode string) writer {
	w := compressor("zst", "o:T:D:CvhHVM:", "rm ultra threads= train output-dir-flat= output-dir-mirror= long=? adapt=?", decode)
	w.out, w.vague, w.erase = "o", "train output-dir-flat output-dir-mirror format", "rm"
	return w
}
